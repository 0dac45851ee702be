import KuraCore

/// The pages from the root of a tree to one leaf, each in a buffer of its own, and a place there.
///
/// The buffers are used again for the next pages and the next tree: walking allocates nothing. A page
/// that is in its level's buffer is not read again; pages of a snapshot do not change.
@safe
struct TreePath: ~Copyable {
  @safe
  private struct Level {
    /// Pages of leaves that were read together, when this was the lowest level once.
    var memory: UnsafeMutableRawPointer?
    var layout = PageLayout.empty
    /// The branch whose layout it is.
    var branch: BranchPage?
    /// The page in the buffer, 0 for none: page 0 is never part of a tree.
    var number: UInt64 = 0
    var index = 0
  }

  let source: PageSource
  private(set) var tree: PageTree
  /// The current leaf, when there is a place.
  private(set) var leaf = PageLayout.empty
  /// The current node of the leaf.
  private(set) var index = 0
  /// Whether there is a current node.
  private(set) var isPlaced = false
  private let levels: UnsafeMutablePointer<Level>
  private var bottom: Int
  /// Pages read since the walk began, forwards less backwards.
  private var balance: Int64 = 0
  /// The leaves that the lowest level has in its buffer.
  private var firstLeaf: UInt64 = 0
  private var leafCount = 0
  /// Whether the walk goes forwards.
  private(set) var isForward = true
  /// The pages that a walk in salvage was at, so that none comes twice.
  private var seen: PageSet?

  init(_ source: PageSource, _ tree: PageTree) {
    self.source = source
    self.tree = tree
    bottom = Int(tree.record.depth) - 1
    unsafe levels = .allocate(capacity: DatabaseRecord.maximumDepth)
    unsafe levels.initialize(repeating: Level(), count: DatabaseRecord.maximumDepth)
  }

  deinit {
    for level in 0..<DatabaseRecord.maximumDepth { unsafe levels[level].memory?.deallocate() }
    unsafe levels.deinitialize(count: DatabaseRecord.maximumDepth)
    unsafe levels.deallocate()
  }

  /// Goes over to another tree of the same snapshot; there is no place then.
  mutating func use(_ tree: PageTree) {
    self.tree = tree
    bottom = Int(tree.record.depth) - 1
    for level in 0..<DatabaseRecord.maximumDepth {
      unsafe levels[level].number = 0
      unsafe levels[level].branch = nil
    }
    leafCount = 0
    isPlaced = false
  }

  /// The number of the current leaf.
  var leafNumber: UInt64 { bottom >= 0 ? unsafe levels[bottom].number : 0 }

  // MARK: Moving

  mutating func first() throws(StoreError) -> Bool {
    guard start(forward: true) else { return false }
    if source.handling == .salvage { seen = PageSet() }
    isPlaced = try enter(0, tree.record.root)
    return isPlaced
  }

  mutating func last() throws(StoreError) -> Bool {
    guard start(forward: false) else { return false }
    isPlaced = try enter(0, tree.record.root)
    return isPlaced
  }

  /// Goes to the first node whose key is this one or greater.
  mutating func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    guard start(forward: true) else { return false }
    isPlaced = unsafe try enter(0, tree.record.root, key)
    return isPlaced
  }

  @inline(__always)
  mutating func next() throws(StoreError) -> Bool {
    guard isPlaced else { return false }
    index &+= 1
    if index < leaf.count { return true }
    return try leaveLeaf(forward: true)
  }

  @inline(__always)
  mutating func previous() throws(StoreError) -> Bool {
    guard isPlaced else { return false }
    index &-= 1
    if index >= 0 { return true }
    return try leaveLeaf(forward: false)
  }

  private mutating func start(forward: Bool) -> Bool {
    isPlaced = false
    balance = 0
    isForward = forward
    seen = nil
    return bottom >= 0 && bottom < DatabaseRecord.maximumDepth
  }

  private mutating func leaveLeaf(forward: Bool) throws(StoreError) -> Bool {
    isPlaced = false
    if forward != isForward { seen = nil }
    isForward = forward
    var level = bottom - 1
    while level >= 0 {
      if try enterNext(level) {
        isPlaced = true
        return true
      }
      level -= 1
    }
    return false
  }

  /// Goes into the next page of a level that can be entered.
  private mutating func enterNext(_ level: Int) throws(StoreError) -> Bool {
    while true {
      let at = unsafe levels[level].index + (isForward ? 1 : -1)
      guard at >= 0, unsafe at < levels[level].layout.count else { return false }
      unsafe levels[level].index = at
      let child = unsafe levels[level].layout.child(at)
      if level + 1 == bottom, child &- firstLeaf >= UInt64(leafCount) {
        readAhead(level, at, child)
      }
      if try enter(level + 1, child) { return true }
    }
  }

  /// Goes into a page, to its first or last node.
  private mutating func enter(_ level: Int, _ number: UInt64) throws(StoreError) -> Bool {
    guard try load(level, number) else { return false }
    let count = unsafe levels[level].layout.count
    if level == bottom {
      leaf = unsafe levels[level].layout
      index = isForward ? 0 : count - 1
      return count > 0
    }
    unsafe levels[level].index = isForward ? -1 : count
    return try enterNext(level)
  }

  /// Goes into a page, to the first node that is a key or greater.
  private mutating func enter(_ level: Int, _ number: UInt64, _ key: UnsafeRawBufferPointer)
    throws(StoreError) -> Bool
  {
    guard try load(level, number) else { return false }
    if level == bottom {
      leaf = unsafe levels[level].layout
      index = unsafe leaf.lowerBound(key, tree.order)
      return index < leaf.count
    }
    guard unsafe levels[level].layout.count > 0 else { return false }
    let at = unsafe levels[level].layout.branchIndex(key, tree.order)
    unsafe levels[level].index = at
    let child = unsafe levels[level].layout.child(at)
    if unsafe try enter(level + 1, child, key) { return true }
    return try enterNext(level)
  }

  // MARK: Pages

  /// Brings a page into the buffer of its level; in salvage `false` when it cannot be read.
  private mutating func load(_ level: Int, _ number: UInt64) throws(StoreError) -> Bool {
    if seen != nil, seen?.insert(number) == false {
      try source.lose(page: .page(number, "it is part of its tree twice"))
      return false
    }
    try count(1)
    if unsafe levels[level].number == number { return true }
    unsafe levels[level].number = 0
    do throws(StoreError) {
      if level < bottom {
        let branch = try source.branch(number)
        unsafe levels[level].branch = branch
        unsafe levels[level].layout = branch.layout
      } else {
        unsafe levels[level].layout = try loadLeaf(number)
      }
      unsafe levels[level].number = number
      return true
    } catch {
      try source.lose(page: error)
      return false
    }
  }

  private mutating func loadLeaf(_ number: UInt64) throws(StoreError) -> PageLayout {
    let size = source.meta.pageSize
    let memory = unsafe leafMemory()
    if number &- firstLeaf >= UInt64(leafCount) {
      leafCount = 0
      unsafe try source.read(number, into: memory)
      firstLeaf = number
      leafCount = 1
    }
    let source = source
    return unsafe try PageLayout(
      PageBytes(memory + Int(number - firstLeaf) * size, count: size), number: number,
      isBranch: false, itemSize: tree.itemSize, isSubPage: false
    ) { error throws(StoreError) in try source.complain(error) }
  }

  private func leafMemory() -> UnsafeMutableRawPointer {
    if let existing = unsafe levels[bottom].memory { return unsafe existing }
    let new = UnsafeMutableRawPointer.allocate(
      byteCount: TreePath.leafBytes + source.meta.pageSize, alignment: 16)
    unsafe levels[bottom].memory = unsafe new
    return unsafe new
  }

  /// The most bytes of leaves that are read together.
  private static let leafBytes = 1 << 16

  /// Reads leaves that follow each other in the file as in the tree.
  ///
  /// They do after ordered inserts and in compacted copies. What goes wrong is met again when the leaf
  /// itself is read.
  private mutating func readAhead(_ level: Int, _ index: Int, _ first: UInt64) {
    let most = TreePath.leafBytes / source.meta.pageSize
    let layout = unsafe levels[level].layout
    var count = 1
    // In the other direction the pages would end, and not begin, with this one.
    while isForward, count < most, index + count < layout.count,
      layout.child(index + count) == first + UInt64(count)
    {
      count += 1
    }
    guard count > 1 else { return }
    leafCount = 0
    unsafe levels[bottom].number = 0
    do throws(StoreError) {
      unsafe try source.read(first, count: count, into: leafMemory())
      firstLeaf = first
      leafCount = count
    } catch {
      leafCount = 0
    }
  }

  /// Counts pages that the walk needs.
  ///
  /// A walk in one direction meets each page of a sound file once. More means that pages are reached
  /// in several ways, and there can be exponentially many.
  mutating func count(_ pages: Int64) throws(StoreError) {
    balance += isForward ? pages : -pages
    guard abs(balance) > 2 * source.pageLimit + 64 else { return }
    isPlaced = false
    throw StoreError(
      .damaged, "the tree of page \(tree.record.root) leads in circles", path: source.file.path,
      suggestion: "restore a backup, or read what is left in salvage mode")
  }
}
