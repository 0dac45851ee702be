import KuraCore

/// Visits every page of trees once, whatever is wrong with them, and counts what is there.
///
/// What cannot be read is reported and left out with everything below it. Each page is visited once
/// over all trees of a survey: circles end, and the work is bounded by the file's size.
@safe
final class TreeSurvey {
  /// What a survey finds beside pages.
  @safe
  struct Sink {
    /// A fault; the survey goes on.
    var fault: (StoreError) -> Void
    /// A record of a named database in the main one.
    var database: (_ name: [UInt8], _ record: DatabaseRecord) -> Void = { _, _ in }
    /// An entry of the free list.
    var freeEntry:
      (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, UInt64) -> Void =
        { _, _, _ in }
    /// Called now and then; throws to stop.
    var progress: (_ pages: Int64) throws(StoreError) -> Void = { _ throws(StoreError) in }
  }

  let source: PageSource
  var sink: Sink
  let checksOrder: Bool
  /// Whether all pages of long values are read, and not only the first.
  let readsLongValues: Bool
  /// The pages that were met.
  private(set) var used = PageSet()
  private var buffers: [UnsafeMutableRawPointer?]
  private var values = ValueBuffer()

  init(_ source: PageSource, checksOrder: Bool, readsLongValues: Bool, sink: Sink) {
    self.source = source
    self.checksOrder = checksOrder
    self.readsLongValues = readsLongValues
    self.sink = sink
    // A tree and, inside it, the tree of a key's values.
    unsafe buffers = unsafe [UnsafeMutableRawPointer?](
      repeating: nil, count: 2 * DatabaseRecord.maximumDepth)
  }

  deinit { for index in unsafe buffers.indices { unsafe buffers[index]?.deallocate() } }

  /// Visits a tree.
  ///
  /// - Throws: What is not the file's fault: cancellation, errors of the machine, a writer at work.
  func visit(_ tree: PageTree) throws(StoreError) -> TreeTally {
    var tally = TreeTally()
    if let problem = tree.record.problem {
      sink.fault(StoreError(.damaged, problem))
      tally.isWhole = false
      return tally
    }
    guard !tree.record.isEmpty else { return tally }
    var walk = Walk(tree: tree, base: tree.role == .duplicates ? DatabaseRecord.maximumDepth : 0)
    unsafe try visit(tree.record.root, 0, &walk, lower: nil, upper: nil)
    let what = tree.role == .duplicates ? "the values of a key: " : ""
    if walk.tally.isWhole, let text = TreeSurvey.difference(walk.tally, tree.record) {
      sink.fault(StoreError(.damaged, what + text))
    }
    return walk.tally
  }

  /// One tree that is being visited.
  struct Walk {
    let tree: PageTree
    /// The first buffer that is this tree's.
    let base: Int
    var tally = TreeTally()
    /// Whether pages were met twice; said once a tree.
    var saidTwice = false
  }

  private static func difference(_ tally: TreeTally, _ record: DatabaseRecord) -> String? {
    let counts: [(String, Int64, UInt64)] = [
      ("branch pages", tally.branchPages, record.branchPages),
      ("leaf pages", tally.leafPages, record.leafPages),
      ("overflow pages", tally.overflowPages, record.overflowPages),
      ("entries", tally.entries, record.entries),
    ]
    let wrong = counts.filter { UInt64(clamping: $0.1) != $0.2 }
    guard !wrong.isEmpty else { return nil }
    return "the record counts "
      + wrong.map { "\($0.2) \($0.0) where \($0.1) are" }.joined(separator: ", ")
  }

  // MARK: Pages

  private func visit(
    _ number: UInt64, _ level: Int, _ walk: inout Walk, lower: UnsafeRawBufferPointer?,
    upper: UnsafeRawBufferPointer?
  ) throws(StoreError) {
    let isBranch = level < Int(walk.tree.record.depth) - 1
    guard claim(number, 1, &walk) else { return }
    if used.count & 0x3FF == 0 { try sink.progress(Int64(clamping: used.count)) }
    let layout: PageLayout
    do throws(StoreError) {
      let memory = unsafe buffer(walk.base + level)
      unsafe try source.read(number, into: memory)
      layout = unsafe try PageLayout(
        PageBytes(memory, count: source.meta.pageSize), number: number, isBranch: isBranch,
        itemSize: isBranch ? 0 : walk.tree.itemSize, isSubPage: false
      ) { error throws(StoreError) in sink.fault(error) }
    } catch {
      return try lose(error, &walk)
    }
    walk.tally.usedBytes += Int64(layout.usedBytes)
    walk.tally.pageBytes += Int64(source.meta.pageSize)
    if isBranch {
      walk.tally.branchPages += 1
      unsafe try visitChildren(layout, number, level, &walk, lower: lower, upper: upper)
    } else {
      walk.tally.leafPages += 1
      unsafe try visitEntries(layout, number, &walk, lower: lower, upper: upper)
    }
  }

  private func visitChildren(
    _ layout: PageLayout, _ number: UInt64, _ level: Int, _ walk: inout Walk,
    lower: UnsafeRawBufferPointer?, upper: UnsafeRawBufferPointer?
  ) throws(StoreError) {
    // The free list may have a branch with one node for a while (mdb.c, mdb_rebalance).
    if layout.count < (walk.tree.role == .free ? 1 : 2) {
      sink.fault(.page(number, "a branch has \(layout.count) nodes"))
    }
    for index in 0..<layout.count {
      let from = unsafe index == 0 ? lower : layout.key(index)
      let to = unsafe index + 1 < layout.count ? layout.key(index + 1) : upper
      if checksOrder, index > 0, let from = unsafe from {
        if index > 1 {
          unsafe compare(layout.key(index - 1), from, number, &walk)
        } else if let lower = unsafe lower {
          unsafe compare(lower, from, number, &walk)
        }
        if index == layout.count - 1, let upper = unsafe upper {
          unsafe compare(from, upper, number, &walk)
        }
      }
      unsafe try visit(layout.child(index), level + 1, &walk, lower: from, upper: to)
    }
  }

  /// Takes pages; `false` when they are not there or were taken already.
  func claim(_ number: UInt64, _ count: Int, _ walk: inout Walk) -> Bool {
    guard number >= 2, number <= source.meta.lastPage, count >= 1,
      UInt64(count) <= source.meta.lastPage - number + 1
    else {
      sink.fault(
        .page(
          number, "something points at it, and the file's pages are 2 to \(source.meta.lastPage)"))
      walk.tally.isWhole = false
      return false
    }
    // What lies beyond the end of the file cannot be read, and there may be any number of it.
    let end = min(number + UInt64(count), max(number, UInt64(clamping: source.pageLimit)))
    for page in number..<end where !used.insert(page) {
      sink.fault(.page(page, "several places point at it"))
      walk.tally.isWhole = false
      return false
    }
    return true
  }

  func isUsed(_ page: UInt64) -> Bool { used.contains(page) }

  /// Reports damage, and throws what is none.
  func lose(_ error: StoreError, _ walk: inout Walk) throws(StoreError) {
    guard error.code.kind == .damaged else { throw error }
    sink.fault(error)
    walk.tally.isWhole = false
  }

  /// Notes whether two neighbours are in order.
  func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ number: UInt64,
    _ walk: inout Walk
  ) {
    walk.tally.pairs += 1
    let result = unsafe walk.tree.order.compare(left, right)
    guard result >= 0 else { return }
    if result == 0 {
      sink.fault(.page(number, "a key is there twice"))
    } else {
      walk.tally.disorder += 1
      walk.tally.disorderedPage = walk.tally.disorderedPage ?? number
    }
  }

  private func buffer(_ index: Int) -> UnsafeMutableRawPointer {
    if let existing = unsafe buffers[index] { return unsafe existing }
    let new = UnsafeMutableRawPointer.allocate(byteCount: source.meta.pageSize, alignment: 16)
    unsafe buffers[index] = unsafe new
    return unsafe new
  }

  /// Reads a long value of the free list.
  func longValue(_ first: UInt64, size: Int) throws(StoreError) -> UnsafeRawBufferPointer {
    unsafe try values.read(source, first, size: size).0
  }
}
