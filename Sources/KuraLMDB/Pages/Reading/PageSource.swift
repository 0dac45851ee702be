import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How damage is met.
package enum DamageHandling: String, Sendable, Hashable {
  /// The first damaged thing throws.
  case refuse
  /// What cannot be read is left out and counted.
  case salvage
}

/// The pages of one snapshot.
final class PageSource {
  let file: PageFile
  let meta: MetaPage
  let handling: DamageHandling
  /// The most bytes of one value.
  let valueLimit: Int
  /// What was left out so far.
  var losses = SalvageLosses()

  private let pageSize: Int64
  /// The numbers of transactions in both meta pages when the snapshot was taken.
  private let markers: (UInt64, UInt64)

  init(
    _ file: PageFile, _ metas: MetaPages, _ meta: MetaPage, _ handling: DamageHandling,
    valueLimit: Int
  ) throws(StoreError) {
    self.file = file
    self.meta = meta
    self.handling = handling
    self.valueLimit = valueLimit
    pageSize = Int64(meta.pageSize)
    // A damaged page has whatever number it has, for ever.
    let raw = try PageSource.markers(file, pageSize)
    markers = (metas.first?.transaction ?? raw.0, metas.second?.transaction ?? raw.1)
  }

  /// The number of pages that a walk can meet at most.
  var pageLimit: Int64 {
    min(Int64(clamping: meta.lastPage) + 1, (file.size + pageSize - 1) / pageSize)
  }

  /// Reads consecutive pages.
  ///
  /// - Throws: ``StoreError/Code/damaged`` outside the file, ``StoreError/Code/locked`` when a writer
  ///   may have written over the snapshot.
  func read(_ number: UInt64, count: Int = 1, into target: UnsafeMutableRawPointer)
    throws(StoreError)
  {
    // Below 2^46 and 2^16: no product here overflows.
    guard number >= 2, number <= meta.lastPage, count > 0,
      UInt64(count) <= meta.lastPage - number + 1
    else {
      throw .page(number, "something points at it, and the file's pages are 2 to \(meta.lastPage)")
    }
    let length = count * meta.pageSize
    let done = unsafe try file.read(
      into: UnsafeMutableRawBufferPointer(start: target, count: length),
      at: Int64(number) * pageSize)
    if done < length {
      try checkIsWhole()
      throw StoreError(
        .truncated, "page \(number + UInt64(done / meta.pageSize)): the file ends before it",
        path: file.path, suggestion: "look for a backup or an intact copy")
    }
    try checkIsWhole()
  }

  /// Makes sure that no writer can have written over pages of the snapshot.
  ///
  /// The transaction after next may use pages that the next one frees (`mdb_page_alloc`: only of
  /// records older than the oldest reader, and this reader is in no table). So a snapshot T is whole
  /// while the newest commit is at most T + 1. It is asked after each reading and before the bytes
  /// are used, so that nothing of another transaction is ever taken for damage or given out.
  func checkIsWhole() throws(StoreError) {
    let now = try PageSource.markers(file, pageSize)
    let limit = meta.transaction &+ 1
    guard now.0 != markers.0 && now.0 > limit || now.1 != markers.1 && now.1 > limit else { return }
    throw StoreError(
      .locked, "the file was written to while it was read", path: file.path,
      found: "transaction \(max(now.0, now.1))", expected: "transaction \(meta.transaction)",
      suggestion: "try again, or when no writer is at work")
  }

  private static func markers(_ file: PageFile, _ pageSize: Int64) throws(StoreError)
    -> (UInt64, UInt64)
  {
    (try marker(file, at: 144), try marker(file, at: pageSize + 144))
  }

  private static func marker(_ file: PageFile, at offset: Int64) throws(StoreError) -> UInt64 {
    var marker: UInt64 = 0
    _ = unsafe try withUnsafeMutableBytes(of: &marker) { bytes throws(StoreError) -> Int in
      unsafe try file.read(into: bytes, at: offset)
    }
    return UInt64(littleEndian: marker)
  }

  /// Throws a fault that leaves the rest readable, or counts it in salvage.
  func complain(_ error: StoreError) throws(StoreError) {
    guard handling == .salvage else { throw error.at(file.path) }
    losses.faults += 1
    losses.note(error)
  }

  /// Throws what makes a page unreadable, or counts it in salvage.
  func lose(page error: StoreError) throws(StoreError) {
    guard handling == .salvage, error.code.kind == .damaged else { throw error.at(file.path) }
    losses.pages += 1
    losses.note(error)
  }

  /// Throws what makes an entry unreadable, or counts it in salvage.
  func lose(entry error: StoreError) throws(StoreError) {
    guard handling == .salvage, error.code.kind == .damaged else { throw error.at(file.path) }
    losses.entries += 1
    losses.note(error)
  }
}
