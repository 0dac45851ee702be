/// What tells the entries of one database apart: the key, and where a key may have several values the
/// value as well.
@safe
final class EntryIdentity {
  private let hasDuplicates: Bool
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 8)

  init(_ tree: PageTree) { hasDuplicates = tree.hasDuplicates }

  deinit { unsafe buffer.deallocate() }

  /// The key, or key, value and the key's length; valid until the next call.
  ///
  /// The key comes first, so that the order is nearly that of the database.
  func bytes(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
    -> UnsafeRawBufferPointer
  {
    // Both are at most 511 bytes in files that liblmdb wrote.
    guard hasDuplicates, unsafe key.count + value.count + 2 <= buffer.count else {
      return unsafe key
    }
    unsafe buffer.copyBytes(from: key)
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[key.count...]).copyBytes(from: value)
    unsafe buffer.storeBytes(
      of: UInt16(truncatingIfNeeded: key.count), toByteOffset: key.count + value.count,
      as: UInt16.self)
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<(key.count + value.count + 2)])
  }

  /// The key, and the value where it counts.
  func parts(_ bytes: UnsafeRawBufferPointer) -> (key: [UInt8], value: [UInt8]?) {
    guard hasDuplicates, bytes.count >= 2 else { return unsafe (Array(bytes), nil) }
    let end = bytes.count - 2
    let length = unsafe Int(bytes.loadUnaligned(fromByteOffset: end, as: UInt16.self))
    guard length <= end else { return unsafe (Array(bytes), nil) }
    return unsafe (Array(bytes[..<length]), Array(bytes[length..<end]))
  }
}
