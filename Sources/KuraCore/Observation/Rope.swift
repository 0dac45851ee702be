/// A sequence of which versions share what they have in common: a change copies a path of a tree,
/// whatever the number of elements.
struct Rope<Element: Sendable>: Sendable {
  private(set) var root: RopeNode<Element>

  /// Makes a sequence of elements.
  init(_ elements: [Element] = []) { root = RopeNode.build(elements) }

  /// The number of elements.
  var count: Int { root.count }

  /// The element at an index; `nil` beyond the ends.
  func element(at index: Int) -> Element? {
    guard index >= 0, index < count else { return nil }
    return root.element(at: index)
  }

  /// The first index whose element does not come before something, of a sequence in order.
  func firstIndex(notBefore isBefore: (Element) -> Bool) -> Int { root.firstIndex(isBefore) }

  /// Inserts an element before the one at an index, or at the end.
  mutating func insert(_ element: Element, at index: Int) {
    let (node, more) = root.inserting(element, at: Swift.min(Swift.max(0, index), count))
    root = more.map { RopeNode.branch([node, $0]) } ?? node
  }

  /// Removes the element at an index; beyond the ends nothing.
  mutating func remove(at index: Int) {
    guard index >= 0, index < count else { return }
    root = root.removing(at: index)
  }

  /// Puts another element in the place of the one at an index; beyond the ends nothing.
  mutating func replace(at index: Int, with element: Element) {
    guard index >= 0, index < count else { return }
    root = root.replacing(at: index, with: element)
  }
}

/// A part of a ``Rope``.
final class RopeNode<Element: Sendable>: Sendable {
  private enum Content: Sendable {
    case leaf([Element])
    case branch([RopeNode])
  }

  let count: Int
  private let content: Content

  /// The most elements or parts of a node, and how many a node has after building.
  private static var maximum: Int { 64 }
  private static var built: Int { 48 }

  private init(leaf elements: [Element]) {
    count = elements.count
    content = .leaf(elements)
  }

  private init(branch children: [RopeNode]) {
    count = children.reduce(0) { $0 + $1.count }
    content = .branch(children)
  }

  static func branch(_ children: [RopeNode]) -> RopeNode { RopeNode(branch: children) }

  static func build(_ elements: [Element]) -> RopeNode {
    guard elements.count > maximum else { return RopeNode(leaf: elements) }
    var nodes = stride(from: 0, to: elements.count, by: built).map { start in
      RopeNode(leaf: Array(elements[start..<min(start + built, elements.count)]))
    }
    while nodes.count > maximum {
      nodes = stride(from: 0, to: nodes.count, by: built).map { start in
        RopeNode(branch: Array(nodes[start..<min(start + built, nodes.count)]))
      }
    }
    return RopeNode(branch: nodes)
  }

  /// The child that has an index, and the index in it; the last child has also the end.
  private static func place(_ index: Int, _ children: [RopeNode]) -> (child: Int, index: Int) {
    var rest = index
    for (place, child) in children.enumerated() {
      if rest < child.count || place == children.count - 1 { return (place, rest) }
      rest -= child.count
    }
    return (0, rest)
  }

  func element(at index: Int) -> Element? {
    switch content {
    case .leaf(let elements): return elements.indices.contains(index) ? elements[index] : nil
    case .branch(let children):
      guard !children.isEmpty else { return nil }
      let (child, rest) = RopeNode.place(index, children)
      return children[child].element(at: rest)
    }
  }

  private var first: Element? {
    switch content {
    case .leaf(let elements): elements.first
    case .branch(let children): children.first?.first
    }
  }

  func firstIndex(_ isBefore: (Element) -> Bool) -> Int {
    switch content {
    case .leaf(let elements): return RopeNode.boundary(elements.count) { isBefore(elements[$0]) }
    case .branch(let children):
      // The last child that begins before is the one in which the boundary is.
      let after = RopeNode.boundary(children.count) { children[$0].first.map(isBefore) ?? true }
      guard after > 0 else { return 0 }
      return children[..<(after - 1)].reduce(0) { $0 + $1.count }
        + children[after - 1].firstIndex(isBefore)
    }
  }

  /// The number of places for which a condition holds that holds for none after the first other one.
  private static func boundary(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func inserting(_ element: Element, at index: Int) -> (RopeNode, RopeNode?) {
    switch content {
    case .leaf(var elements):
      elements.insert(element, at: min(index, elements.count))
      guard elements.count > RopeNode.maximum else { return (RopeNode(leaf: elements), nil) }
      let middle = elements.count / 2
      return (
        RopeNode(leaf: Array(elements[..<middle])), RopeNode(leaf: Array(elements[middle...]))
      )
    case .branch(var children):
      let (child, rest) = RopeNode.place(index, children)
      let (node, more) = children[child].inserting(element, at: rest)
      children[child] = node
      if let more { children.insert(more, at: child + 1) }
      guard children.count > RopeNode.maximum else { return (RopeNode(branch: children), nil) }
      let middle = children.count / 2
      return (
        RopeNode(branch: Array(children[..<middle])), RopeNode(branch: Array(children[middle...]))
      )
    }
  }

  func removing(at index: Int) -> RopeNode {
    switch content {
    case .leaf(var elements):
      if elements.indices.contains(index) { elements.remove(at: index) }
      return RopeNode(leaf: elements)
    case .branch(var children):
      let (child, rest) = RopeNode.place(index, children)
      let node = children[child].removing(at: rest)
      if node.count == 0 {
        children.remove(at: child)
      } else {
        children[child] = node
        RopeNode.join(&children, at: child)
      }
      if children.count == 1 { return children[0] }
      return children.isEmpty ? RopeNode(leaf: []) : RopeNode(branch: children)
    }
  }

  /// Joins a leaf that has become small with the one after or before it.
  private static func join(_ children: inout [RopeNode], at place: Int) {
    guard case .leaf(let elements) = children[place].content, elements.count < maximum / 4 else {
      return
    }
    for (left, right) in [(place, place + 1), (place - 1, place)]
    where left >= 0 && right < children.count {
      guard case .leaf(let first) = children[left].content,
        case .leaf(let second) = children[right].content, first.count + second.count <= built
      else { continue }
      children[left] = RopeNode(leaf: first + second)
      children.remove(at: right)
      return
    }
  }

  func replacing(at index: Int, with element: Element) -> RopeNode {
    switch content {
    case .leaf(var elements):
      if elements.indices.contains(index) { elements[index] = element }
      return RopeNode(leaf: elements)
    case .branch(var children):
      let (child, rest) = RopeNode.place(index, children)
      children[child] = children[child].replacing(at: rest, with: element)
      return RopeNode(branch: children)
    }
  }

}

extension Rope: Sequence {
  /// Walks over the elements in order.
  struct Iterator: IteratorProtocol {
    private var pending: [RopeNode<Element>]
    private var leaf: [Element] = []
    private var place = 0

    fileprivate init(_ root: RopeNode<Element>) { pending = [root] }

    mutating func next() -> Element? {
      while place >= leaf.count {
        guard let node = pending.popLast() else { return nil }
        node.unfold(leaf: &leaf, pending: &pending)
        place = 0
      }
      defer { place += 1 }
      return leaf[place]
    }
  }

  func makeIterator() -> Iterator { Iterator(root) }
}

extension RopeNode {
  /// Gives a leaf's elements, or puts a branch's parts before those that wait.
  fileprivate func unfold(leaf: inout [Element], pending: inout [RopeNode]) {
    switch content {
    case .leaf(let elements): leaf = elements
    case .branch(let children):
      leaf = []
      pending.append(contentsOf: children.reversed())
    }
  }
}
