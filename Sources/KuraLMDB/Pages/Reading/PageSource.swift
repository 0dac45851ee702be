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
@safe
final class PageSource {
  let file: PageFile
  let meta: MetaPage
  let handling: DamageHandling
  /// The size of the file, which has all pages of the state unless it was cut.
  let fileSize: Int64
  /// The most bytes of one value.
  let valueLimit: Int
  /// What was left out so far.
  var losses = SalvageLosses()

  /// Gets each run of pages that is read, with the number of the first.
  var tee: ((UInt64, UnsafeRawBufferPointer) throws(StoreError) -> Void)?
  /// Whether nobody else can write to the file.
  private let isPrivate: Bool
  private let pageSize: Int64
  /// Branches that were read, by page number modulo the size: a look-up goes through few of them.
  private var branches: [BranchPage?]
  /// The most bytes of ``branches``.
  private static let branchBytes = 1 << 20

  init(
    _ file: PageFile, _ meta: MetaPage, _ handling: DamageHandling, fileSize: Int64,
    valueLimit: Int, isPrivate: Bool = false
  ) {
    self.isPrivate = isPrivate
    self.file = file
    self.meta = meta
    self.handling = handling
    self.fileSize = fileSize
    self.valueLimit = valueLimit
    pageSize = Int64(meta.pageSize)
    branches = Array(repeating: nil, count: PageSource.branchBytes / max(256, meta.pageSize))
  }

  /// A branch of a tree.
  func branch(_ number: UInt64) throws(StoreError) -> BranchPage {
    let slot = Int(number % UInt64(branches.count))
    if let page = branches[slot], page.number == number { return page }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: meta.pageSize, alignment: 16)
    do throws(StoreError) {
      unsafe try read(number, into: memory)
      let layout = unsafe try PageLayout(
        PageBytes(memory, count: meta.pageSize), number: number, isBranch: true, itemSize: 0,
        isSubPage: false
      ) { error throws(StoreError) in try complain(error) }
      let page = unsafe BranchPage(number, layout, memory)
      branches[slot] = page
      return page
    } catch {
      unsafe memory.deallocate()
      throw error
    }
  }

  /// The number of pages that a walk can meet at most.
  var pageLimit: Int64 {
    min(Int64(clamping: meta.lastPage) + 1, (fileSize + pageSize - 1) / pageSize)
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
    if let tee = unsafe tee {
      unsafe try tee(number, UnsafeRawBufferPointer(start: target, count: length))
    }
  }

  /// Makes sure that no writer can have written over pages of the snapshot.
  ///
  /// A transaction may use pages that were freed two transactions before (`mdb_page_alloc`: only of
  /// records older than the oldest reader, and this reader is in no table). So pages of snapshot T are
  /// written over by T + 3 at the earliest, when T + 2 has replaced the meta page of T. It is looked
  /// at after each reading and before the bytes are used, so that nothing of another transaction is
  /// ever taken for damage or given out.
  func checkIsWhole() throws(StoreError) {
    if isPrivate { return }
    let now = try PageSource.marker(file, at: meta.offset + 144)
    guard now != meta.transaction else { return }
    throw StoreError(
      .locked, "the file was written to while it was read", path: file.path,
      found: "transaction \(now)", expected: "transaction \(meta.transaction)",
      suggestion: "try again, or when no writer is at work")
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
