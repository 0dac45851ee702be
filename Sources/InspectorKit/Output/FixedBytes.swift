import KuraCore

/// Bytes that a writer prepares once and adds to every record, at an address that stays.
final class FixedBytes {
  let bytes: UnsafeRawBufferPointer

  /// Takes what is written.
  init(_ write: (ByteWriter) throws(StoreError) -> Void) throws(StoreError) {
    var collected: [UInt8] = []
    let writer = ByteWriter(capacity: 1024) { part throws(StoreError) in collected += part }
    try write(writer)
    try writer.flush()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: collected.count, alignment: 1)
    copy.copyBytes(from: collected)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}
