import KuraCore

/// A walk in order over one of two trees that are compared, which opens pages only when asked.
///
/// It stands before a page that is not open yet, or at an entry of an open leaf.
@safe
struct DifferenceSide: ~Copyable {
  @safe
  private struct Level {
    let memory: UnsafeMutableRawPointer
    var layout: PageLayout
    var number: UInt64
    var index: Int
  }

  let source: PageSource
  let tree: PageTree
  private var levels: [Level] = []
  private var spare: [UnsafeMutableRawPointer] = unsafe []
  private let depth: Int
  private(set) var isDone: Bool
  private var pagesOpened: Int64 = 0

  init(_ source: PageSource, _ tree: PageTree) {
    self.source = source
    self.tree = tree
    depth = Int(tree.record.depth)
    isDone = tree.record.isEmpty || depth < 1
  }

  deinit {
    for level in levels { unsafe level.memory.deallocate() }
    for index in unsafe spare.indices { unsafe spare[index].deallocate() }
  }

  /// Whether the next page must be opened to know the next entry.
  var isBeforePage: Bool { !isDone && levels.count < depth }

  /// Whether there is a current entry.
  var isAtEntry: Bool { !isDone && levels.count == depth }

  /// The page that begins at the current place, on each level where one does, the lowest first.
  func startingPages() -> [(level: Int, page: UInt64)] {
    guard !isDone else { return [] }
    var pages: [(level: Int, page: UInt64)] = []
    if levels.count < depth { pages.append((levels.count, next)) }
    var level = levels.count - 1
    while level >= 0, levels[level].index == 0 {
      pages.append((level, levels[level].number))
      level -= 1
    }
    return pages
  }

  /// The page that is before the current place.
  private var next: UInt64 {
    guard let last = levels.last else { return tree.record.root }
    return last.layout.child(last.index)
  }

  /// Opens the next page.
  mutating func open() throws(StoreError) {
    let number = next
    let level = levels.count
    pagesOpened += 1
    guard pagesOpened <= source.pageLimit + 64 else {
      throw StoreError(
        .damaged, "the tree of page \(tree.record.root) leads in circles", path: source.file.path)
    }
    let size = source.meta.pageSize
    let memory =
      unsafe spare.popLast() ?? UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    do throws(StoreError) {
      unsafe try source.read(number, into: memory)
      let source = source
      let layout = unsafe try PageLayout(
        PageBytes(memory, count: size), number: number, isBranch: level < depth - 1,
        itemSize: level < depth - 1 ? 0 : tree.itemSize, isSubPage: false
      ) { error throws(StoreError) in throw error.at(source.file.path) }
      unsafe levels.append(Level(memory: memory, layout: layout, number: number, index: 0))
      if layout.count == 0 { leave(level) }
    } catch {
      unsafe spare.append(memory)
      throw error.at(source.file.path)
    }
  }

  /// Goes to what follows the page that begins here on a level.
  mutating func leave(_ level: Int) {
    var level = level
    while true {
      while levels.count > level {
        if let closed = levels.popLast() { unsafe spare.append(closed.memory) }
      }
      guard level > 0 else {
        isDone = true
        return
      }
      levels[level - 1].index += 1
      if levels[level - 1].index < levels[level - 1].layout.count { return }
      level -= 1
    }
  }

  /// Goes from an entry to what follows it.
  mutating func advance() {
    guard let last = levels.last, isAtEntry else { return }
    if last.index + 1 < last.layout.count {
      levels[levels.count - 1].index += 1
    } else {
      leave(levels.count - 1)
    }
  }

  /// The key of the current entry.
  var key: UnsafeRawBufferPointer {
    guard let last = levels.last else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
    return unsafe last.layout.key(last.index)
  }

  /// The current entry: its node and the bytes of its leaf; a page of packed keys has no nodes.
  func node() throws(StoreError) -> (LeafNode, PageBytes, page: UInt64) {
    guard let last = levels.last, let node = last.layout.node(last.index) else {
      throw StoreError(.damaged, "an entry leaves its page", path: source.file.path)
    }
    if let problem = tree.problem(flags: node.flags, dataSize: node.dataSize) {
      throw StoreError.page(last.number, problem).at(source.file.path)
    }
    return (node, last.layout.bytes, last.number)
  }
}
