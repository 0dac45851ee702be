import KuraCore

/// Looks at the entries of the free list: which transactions freed which pages.
struct FreeListSurvey {
  let meta: MetaPage
  /// The pages on the list.
  private(set) var free = PageSet()
  /// The number of entries.
  private(set) var records: Int64 = 0

  init(_ meta: MetaPage) {
    self.meta = meta
  }

  /// Takes an entry: the key is the number of a transaction, the value a count and the numbers of so
  /// many pages, the highest first; it may be longer (`mdb.c`, mdb_freelist_save).
  mutating func add(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on page: UInt64,
    isUsed: (UInt64) -> Bool, fault: (StoreError) -> Void
  ) {
    records += 1
    let transaction = unsafe FreeListSurvey.bytes(key).uint64(0)
    let bytes = unsafe FreeListSurvey.bytes(value)
    if key.count == 8, transaction > meta.transaction {
      fault(
        .page(page, "the free list has transaction \(transaction), after \(meta.transaction)"))
    }
    let count = bytes.uint64(0)
    guard bytes.count >= 8, count <= UInt64(bytes.count / 8 - 1) else {
      fault(
        .page(page, "an entry of the free list counts \(count) pages in \(bytes.count) bytes"))
      return
    }
    var last = UInt64.max
    for index in 0..<Int(clamping: count) {
      let number = bytes.uint64(8 + 8 * index)
      guard number >= 2, number <= meta.lastPage else {
        fault(
          .page(page, "the free list has page \(number), and the pages are 2 to \(meta.lastPage)"))
        return
      }
      guard number < last else {
        fault(.page(page, "an entry of the free list is not in order at page \(number)"))
        return
      }
      last = number
      if isUsed(number) { fault(.page(number, "it is on the free list and in use")) }
      if !free.insert(number) { fault(.page(number, "it is on the free list twice")) }
    }
  }

  private static func bytes(_ buffer: UnsafeRawBufferPointer) -> PageBytes {
    unsafe PageBytes(buffer.baseAddress ?? EmptyPage.bytes, count: buffer.count)
  }
}
