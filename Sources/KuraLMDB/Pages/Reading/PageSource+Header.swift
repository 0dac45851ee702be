import KuraCore

extension PageSource {
  /// The header of the first page of a long value.
  ///
  /// - Returns: The page's own number, its flags and the number of pages.
  func header(_ number: UInt64) throws(StoreError) -> (number: UInt64, flags: Int, pages: UInt32) {
    guard number >= 2, number <= meta.lastPage else {
      throw .page(number, "something points at it, and the file's pages are 2 to \(meta.lastPage)")
    }
    // Below 2^46 and 2^16: the product does not overflow.
    let bytes = try file.bytes(
      at: Int64(number) * Int64(meta.pageSize), count: PageLayout.headerSize)
    try checkIsWhole()
    guard bytes.count == PageLayout.headerSize else {
      throw StoreError(
        .truncated, "page \(number): the file ends before it", path: file.path,
        suggestion: "look for a backup or an intact copy")
    }
    return unsafe bytes.withUnsafeBytes { buffer in
      let bytes = unsafe PageBytes(buffer.baseAddress ?? EmptyPage.bytes, count: buffer.count)
      return (bytes.uint64(0), bytes.uint16(10), bytes.uint32(12))
    }
  }
}
