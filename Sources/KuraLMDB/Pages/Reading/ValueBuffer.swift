import KuraCore

/// A buffer for values that are spread over pages, used again for the next one.
@safe
struct ValueBuffer: ~Copyable {
  private var memory: UnsafeMutableRawPointer?
  private var capacity = 0

  deinit { unsafe memory?.deallocate() }

  /// Reads the value that begins on a page.
  ///
  /// The value follows the first page's header and goes on over the other pages without headers. The
  /// run may be longer than needed: a smaller value is written over a longer one (`mdb.c`).
  ///
  /// - Returns: The value and the number of pages in its run.
  mutating func read(_ source: PageSource, _ first: UInt64, size: Int) throws(StoreError)
    -> (UnsafeRawBufferPointer, pages: Int64)
  {
    let pageSize = source.meta.pageSize
    guard size <= source.valueLimit else {
      throw StoreError(
        .limitReached, "page \(first): a value of \(size) bytes is longer than is allowed",
        path: source.file.path, expected: "at most \(source.valueLimit) bytes")
    }
    let needed = (PageLayout.headerSize - 1 + size) / pageSize + 1
    // Before memory is taken: a size that the file cannot hold is damage.
    guard UInt64(needed) <= source.meta.lastPage, needed <= source.pageLimit else {
      throw .page(first, "a value of \(size) bytes does not fit into the file")
    }
    let memory = unsafe reserve(needed * pageSize)
    unsafe try source.read(first, count: needed, into: memory)
    let bytes = unsafe PageBytes(memory, count: needed * pageSize)
    let own = bytes.uint64(0)
    if own != first { try source.complain(.page(first, "its header says page \(own)")) }
    let flags = bytes.uint16(10)
    guard flags & PageFlags.kind == PageFlags.overflow else {
      throw .page(
        first, "the page has the flags 0x\(String(flags, radix: 16)), not those of a value")
    }
    if flags != PageFlags.overflow {
      try source.complain(.page(first, "the page has unknown flags 0x\(String(flags, radix: 16))"))
    }
    let run = bytes.uint32(12)
    if UInt64(run) < UInt64(needed) || UInt64(run) > source.meta.lastPage - first + 1 {
      try source.complain(
        .page(first, "the value needs \(needed) pages, its header says \(run)"))
    }
    return unsafe (bytes.slice(PageLayout.headerSize, size), Int64(needed))
  }

  private mutating func reserve(_ size: Int) -> UnsafeMutableRawPointer {
    if let memory = unsafe memory, size <= capacity { return unsafe memory }
    unsafe memory?.deallocate()
    capacity = max(size, min(capacity * 2, 1 << 24))
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    unsafe memory = unsafe new
    return unsafe new
  }
}
