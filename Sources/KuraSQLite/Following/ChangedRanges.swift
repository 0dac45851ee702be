import KuraCore

/// Which rows of which tables can differ between two states, told by the pages that do.
///
/// Only pages above the leaves are read, and those leaves that changed: the work grows with the
/// change and with a hundredth of the file.
struct ChangedRanges {
  /// The rows of a table that can differ.
  enum Rows: Equatable {
    case all
    /// Rows of numbers above the first and up to the second, in their order.
    case ranges([Range])
    /// Rows on these pages, of a table without row numbers.
    case pages(old: [UInt32], new: [UInt32])
  }

  struct Range: Equatable {
    var lower: Int64
    var upper: Int64
  }

  /// A tree of a state: a table or an index.
  struct Root: Hashable {
    let kind: String
    let name: String
    let page: UInt32
  }

  private let old: PageState
  private let new: PageState
  private let changed: Set<UInt32>
  /// Whether pages changed that belong to rows of pages that did not, as parts of a long value do.
  private(set) var isUncertain = false

  init(_ file: FollowedFile, _ changed: Set<UInt32>) {
    old = file.oldState
    new = file.newState
    self.changed = changed
  }

  /// The rows that can differ by the name of their table; tables that are not in it have none.
  mutating func find(old oldRoots: [Root], new newRoots: [Root]) throws(StoreError) -> [String:
    Rows]
  {
    var found: [String: Rows] = [:]
    var accounted = PageBits(new.pageCount)
    let usable = new.pageSize - Int(try new.page(1)[20])
    let before = Dictionary(oldRoots.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for root in newRoots {
      let pages = try treePages(root.page, new, &accounted, usable)
      guard root.kind == "table" else { continue }
      guard let other = before[root.name], other.page == root.page else {
        found[root.name] = .all
        continue
      }
      var ignored = PageBits(old.pageCount)
      let mine = pages
      let theirs = try treePages(other.page, old, &ignored, usable)
      if let rows = try compare(mine, theirs, root.page) { found[root.name] = rows }
    }
    let names = Set(newRoots.map(\.name))
    for root in oldRoots where root.kind == "table" && !names.contains(root.name) {
      found[root.name] = .all
    }
    try accountForTheRest(&accounted)
    isUncertain = changed.contains { $0 <= new.pageCount && !accounted.contains($0) }
    return found
  }

  /// The pages of a tree in one state.
  private struct Tree {
    var bits: PageBits
    /// The leaves that are not the same in the other state, with the rows that can be in them.
    var leaves: [(page: UInt32, range: Range)] = []
    /// All pages that are not the same.
    var changed: [UInt32] = []
    var isChanged: Bool { !changed.isEmpty }
  }

  private func treePages(
    _ root: UInt32, _ state: PageState, _ accounted: inout PageBits, _ usable: Int
  ) throws(StoreError) -> Tree {
    var tree = Tree(bits: PageBits(state.pageCount))
    var all = accounted
    let pages = TreePages(state: state)
    let changed = changed
    try pages.visit(root) { page throws(StoreError) in
      tree.bits.insert(page.number)
      all.insert(page.number)
      guard changed.contains(page.number) else { return }
      tree.changed.append(page.number)
      if page.isLeaf {
        tree.leaves.append((page.number, Range(lower: page.lower, upper: page.upper)))
      }
      try pages.visitOverflow(of: page.number, usable: usable) { all.insert($0) }
    }
    accounted = all
    return tree
  }

  private func compare(_ mine: Tree, _ theirs: Tree, _ root: UInt32) throws(StoreError) -> Rows? {
    guard mine.isChanged || theirs.isChanged else { return nil }
    let kind = try TreePages.kind(new.page(root), TreePages.start(root), root)
    let oldKind = try TreePages.kind(old.page(root), TreePages.start(root), root)
    guard kind.isTable == oldKind.isTable else { return .all }
    guard kind.isTable else {
      return .pages(
        old: theirs.changed + (try foreign(in: old, root, but: mine.bits)),
        new: mine.changed + (try foreign(in: new, root, but: theirs.bits)))
    }
    var ranges = (mine.leaves + theirs.leaves).map(\.range)
    // A page may have come into the tree with the bytes that it had outside.
    try addForeign(in: new, root, but: theirs.bits, &ranges)
    try addForeign(in: old, root, but: mine.bits, &ranges)
    guard !ranges.isEmpty else { return nil }
    ranges.sort { $0.lower < $1.lower }
    var joined: [Range] = []
    for range in ranges {
      if let last = joined.last, range.lower <= last.upper {
        joined[joined.count - 1].upper = max(last.upper, range.upper)
      } else {
        joined.append(range)
      }
    }
    return .ranges(joined)
  }

  /// Pages that came into a tree with the bytes that they had outside.
  private func foreign(in state: PageState, _ root: UInt32, but other: PageBits)
    throws(StoreError) -> [UInt32]
  {
    var found: [UInt32] = []
    let changed = changed
    try TreePages(state: state).visit(root) { page throws(StoreError) in
      if !changed.contains(page.number), !other.contains(page.number) { found.append(page.number) }
    }
    return found
  }

  private func addForeign(
    in state: PageState, _ root: UInt32, but other: PageBits, _ ranges: inout [Range]
  ) throws(StoreError) {
    var found = ranges
    let changed = changed
    try TreePages(state: state).visit(root) { page throws(StoreError) in
      guard page.isLeaf, !changed.contains(page.number), !other.contains(page.number) else {
        return
      }
      found.append(Range(lower: page.lower, upper: page.upper))
    }
    ranges = found
  }

  /// Accounts for pages that belong to no tree: free ones, and those of `auto_vacuum`.
  private func accountForTheRest(_ accounted: inout PageBits) throws(StoreError) {
    let first = try new.page(1)
    var trunk = first.bigEndian32(32)
    var visited = 0
    while trunk > 0, visited <= Int(new.pageCount) {
      visited += 1
      accounted.insert(trunk)
      let bytes = try new.page(trunk)
      let count = min(Int(bytes.bigEndian32(4)), new.pageSize / 4 - 2)
      for index in 0..<max(0, count) { accounted.insert(bytes.bigEndian32(8 + 4 * index)) }
      trunk = bytes.bigEndian32(0)
    }
    guard first.bigEndian32(52) != 0 else { return }
    let usable = new.pageSize - Int(first[20])
    let step = UInt32(max(1, usable / 5 + 1))
    var number: UInt32 = 2
    let lockPage = UInt32(0x4000_0000 / new.pageSize) + 1
    while number <= new.pageCount {
      accounted.insert(number == lockPage ? number + 1 : number)
      let (following, overflow) = number.addingReportingOverflow(step)
      if overflow { break }
      number = following
    }
  }
}

/// Page numbers, a bit each.
struct PageBits {
  private var words: [UInt64]

  init(_ pageCount: UInt32) { words = Array(repeating: 0, count: Int(pageCount) / 64 + 1) }

  mutating func insert(_ page: UInt32) {
    let index = Int(page) / 64
    guard index < words.count else { return }
    words[index] |= 1 << UInt64(page % 64)
  }

  func contains(_ page: UInt32) -> Bool {
    let index = Int(page) / 64
    return index < words.count && words[index] & 1 << UInt64(page % 64) != 0
  }
}
