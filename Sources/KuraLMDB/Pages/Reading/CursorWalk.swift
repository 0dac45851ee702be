import KuraCore

/// The state of a ``PageCursor`` and its moves.
@safe
struct CursorWalk: ~Copyable {
  /// The database.
  let tree: PageTree
  private let source: PageSource
  private var path: TreePath
  private var values = ValueBuffer()
  /// The tree of the current key's values.
  private var inner: TreePath
  private var place = Place.none
  /// The page inside the value that holds the current key's values.
  private var subPage = PageLayout.empty
  private var subIndex = 0
  /// The key of the current entry, valid until the next call.
  private(set) var key: UnsafeRawBufferPointer
  /// The value of the current entry, valid until the next call.
  private(set) var value: UnsafeRawBufferPointer
  /// Whether the current entry is the record of a named database.
  private(set) var isDatabase = false
  /// Whether long values are read; without, ``value`` is empty for them.
  var readsLongValues = true

  /// Where the current value is.
  private enum Place {
    case none
    /// In the node or in pages of its own.
    case single
    /// In a page inside the node.
    case subPage
    /// In a tree.
    case subTree
  }

  init(_ source: PageSource, _ tree: PageTree) {
    self.source = source
    self.tree = tree
    path = TreePath(source, tree)
    inner = TreePath(source, PageTree(.empty, .duplicates))
    unsafe key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Goes to the first entry whose key is this one or greater, if there is one.
  mutating func seek(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    place = .none
    return try unsafe path.seek(key) ? settle(forward: true) : false
  }

  /// Goes to the first entry, if there is one.
  mutating func first() throws(StoreError) -> Bool {
    place = .none
    return try path.first() ? settle(forward: true) : false
  }

  /// Goes to the last entry, if there is one.
  mutating func last() throws(StoreError) -> Bool {
    place = .none
    return try path.last() ? settle(forward: false) : false
  }

  /// Goes to the following entry, if there is one.
  mutating func next() throws(StoreError) -> Bool {
    if place == .subPage || place == .subTree, try moveInside(forward: true) { return true }
    place = .none
    return try path.next() ? settle(forward: true) : false
  }

  /// Goes to the preceding entry, if there is one.
  mutating func previous() throws(StoreError) -> Bool {
    if place == .subPage || place == .subTree, try moveInside(forward: false) { return true }
    place = .none
    return try path.previous() ? settle(forward: false) : false
  }

  /// Goes to the first entry of the following key, if there is one.
  mutating func nextKey() throws(StoreError) -> Bool {
    place = .none
    return try path.next() ? settle(forward: true) : false
  }

  // MARK: Entries

  /// Makes the entry at the path's place current, or the first behind it that can be read.
  @inline(__always)
  private mutating func settle(forward: Bool) throws(StoreError) -> Bool {
    if let node = path.leaf.node(path.index), node.flags == 0 {
      unsafe key = path.leaf.bytes.slice(node.keyOffset, node.keySize)
      unsafe value = path.leaf.bytes.slice(node.dataOffset, node.dataSize)
      isDatabase = false
      place = .single
      return true
    }
    return try settleSlowly(forward: forward)
  }

  private mutating func settleSlowly(forward: Bool) throws(StoreError) -> Bool {
    repeat {
      do throws(StoreError) {
        if try settleHere(forward: forward) { return true }
      } catch {
        place = .none
        try source.lose(entry: error)
      }
    } while try forward ? path.next() : path.previous()
    return false
  }

  private mutating func settleHere(forward: Bool) throws(StoreError) -> Bool {
    let leaf = path.leaf
    isDatabase = false
    guard let node = leaf.node(path.index) else {
      throw .page(path.leafNumber, "node \(path.index) leaves the page")
    }
    if let problem = tree.problem(flags: node.flags, dataSize: node.dataSize) {
      throw .page(path.leafNumber, problem)
    }
    unsafe key = leaf.bytes.slice(node.keyOffset, node.keySize)
    let data = leaf.bytes.part(node.dataOffset, node.dataSize)
    switch node.flags {
    case NodeFlags.overflow:
      if readsLongValues {
        let (bytes, pages) = unsafe try values.read(
          source, leaf.bytes.uint64(node.dataOffset), size: node.dataSize)
        try path.count(pages)
        unsafe value = unsafe bytes
      } else {
        unsafe value = leaf.bytes.slice(0, 0)
      }
      place = .single
    case NodeFlags.duplicates:
      let source = source
      subPage = try PageLayout(
        data, number: path.leafNumber, isBranch: false, itemSize: fixedSize(data), isSubPage: true
      ) { error throws(StoreError) in try source.complain(error) }
      subIndex = forward ? -1 : subPage.count
      place = .subPage
      return try moveInside(forward: forward)
    case NodeFlags.duplicates | NodeFlags.database:
      let record = DatabaseRecord(data, at: 0)
      let duplicates: PageTree
      do throws(StoreError) {
        duplicates = try PageTree(duplicates: record, of: tree)
      } catch {
        throw .page(path.leafNumber, error.message)
      }
      return try enterSubTree(duplicates, forward: forward)
    default:
      isDatabase = node.flags == NodeFlags.database
      unsafe value = leaf.bytes.slice(node.dataOffset, node.dataSize)
      place = .single
    }
    return true
  }

  /// The size of values in a page inside a value; the page's own word is all there is.
  private func fixedSize(_ page: PageBytes) -> Int {
    tree.record.flags.contains(.dupFixed) ? max(1, page.uint16(8)) : 0
  }

  private mutating func enterSubTree(_ duplicates: PageTree, forward: Bool) throws(StoreError)
    -> Bool
  {
    inner.use(duplicates)
    guard try forward ? inner.first() : inner.last() else { return false }
    try path.count(Int64(clamping: duplicates.record.depth))
    place = .subTree
    return try showInner(forward: forward)
  }

  private mutating func moveInside(forward: Bool) throws(StoreError) -> Bool {
    guard place == .subPage else {
      let before = inner.leafNumber
      let moved: Bool
      do throws(StoreError) {
        moved = try forward ? inner.next() : inner.previous()
      } catch {
        place = .none
        try source.lose(entry: error)
        return false
      }
      guard moved else { return false }
      if inner.leafNumber != before { try path.count(forward == path.isForward ? 1 : -1) }
      return try showInner(forward: forward)
    }
    repeat {
      subIndex += forward ? 1 : -1
      guard subIndex >= 0, subIndex < subPage.count else { return false }
      if subPage.kind == .fixed { break }
      if let node = subPage.node(subIndex), tree.innerProblem(node) == nil { break }
      try source.lose(entry: .page(path.leafNumber, "node \(subIndex) of a page inside a value"))
    } while true
    unsafe value = subPage.key(subIndex)
    return true
  }

  private mutating func showInner(forward: Bool) throws(StoreError) -> Bool {
    while true {
      if let found = unsafe innerValue() {
        unsafe value = unsafe found
        return true
      }
      try source.lose(entry: .page(inner.leafNumber, "a value of a key has data of its own"))
      guard try forward ? inner.next() : inner.previous() else { return false }
    }
  }

  private func innerValue() -> UnsafeRawBufferPointer? {
    let leaf = inner.leaf
    let index = inner.index
    if leaf.kind == .fixed { return unsafe leaf.key(index) }
    guard let node = leaf.node(index), tree.innerProblem(node) == nil else { return nil }
    return unsafe leaf.key(index)
  }
}
