/// Collects bytes in one fixed block and passes them on when it is full; allocates nothing per call.
package final class ByteWriter {
  @usableFromInline let block: UnsafeMutablePointer<UInt8>
  @usableFromInline let capacity: Int
  // The count lives beside the block: a stored property of a class would have its exclusive access
  // checked at run time, which was a fifth of the time of a dump.
  @usableFromInline let count: UnsafeMutablePointer<Int>
  /// The bytes that are collected and not passed on yet.
  @inlinable package var used: Int {
    get { count.pointee }
    set { count.pointee = newValue }
  }
  private let sink: (UnsafeRawBufferPointer) throws(StoreError) -> Void
  /// The bytes passed on so far.
  package private(set) var flushedByteCount: Int64 = 0

  /// The capacity that every writer has at least.
  package static let leastCapacity = 256

  /// Makes a writer.
  ///
  /// - Parameter sink: Takes bytes; it is called with all of them in order.
  package init(
    capacity: Int = 65_536, sink: @escaping (UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) {
    self.capacity = max(ByteWriter.leastCapacity, capacity)
    block = .allocate(capacity: self.capacity)
    count = .allocate(capacity: 1)
    count.initialize(to: 0)
    self.sink = sink
  }

  deinit {
    block.deallocate()
    count.deallocate()
  }

  /// Passes on what is collected.
  package func flush() throws(StoreError) {
    guard used > 0 else { return }
    let count = used
    used = 0
    flushedByteCount += Int64(count)
    try sink(UnsafeRawBufferPointer(start: block, count: count))
  }

  /// Makes room for a number of bytes, at most ``capacity``, and returns where they go.
  @inlinable
  package func reserve(_ count: Int) throws(StoreError) -> UnsafeMutablePointer<UInt8> {
    if capacity - used < count { try flush() }
    return block + used
  }

  /// How many bytes ``reserve(_:)`` can give without passing on what is collected.
  package var rest: Int { capacity - used }

  /// Says that bytes were put where ``reserve(_:)`` said.
  @inlinable package func advance(_ count: Int) { used &+= count }

  /// Adds one byte.
  @inlinable @inline(__always)
  package func append(_ byte: UInt8) throws(StoreError) {
    if used == capacity { try flush() }
    block[used] = byte
    used &+= 1
  }

  /// Adds the ASCII text of a literal.
  @inlinable
  package func append(_ text: StaticString) throws(StoreError) {
    try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds the UTF-8 of a text; literals take the faster overload.
  @_disfavoredOverload
  package func append(_ text: String) throws(StoreError) {
    var text = text
    var failure: StoreError?
    text.withUTF8 { bytes in
      do throws(StoreError) {
        try append(UnsafeRawBufferPointer(bytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Adds bytes.
  @inlinable
  package func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return }
    if capacity - used >= bytes.count {
      UnsafeMutableRawPointer(block + used).copyMemory(from: base, byteCount: bytes.count)
      used += bytes.count
    } else {
      try appendLarge(bytes)
    }
  }

  @usableFromInline
  func appendLarge(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try flush()
    guard let base = bytes.baseAddress else { return }
    if bytes.count >= capacity {
      flushedByteCount += Int64(bytes.count)
      try sink(bytes)
    } else {
      UnsafeMutableRawPointer(block).copyMemory(from: base, byteCount: bytes.count)
      used = bytes.count
    }
  }
}
