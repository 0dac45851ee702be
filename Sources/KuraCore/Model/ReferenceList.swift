/// An ordered list of references to records of a model; the same record may be in it more than once.
///
/// A list is a value. Changes take effect when the record that has the list is written. Every element
/// has an identity of its own, which stays when the element moves, so that duplicates do not confuse
/// a view that shows the list:
///
/// ```swift
/// ForEach(series.books) { element in … }
/// ```
public struct ReferenceList<Target: Model>: Sendable {
  /// One element of a list.
  public struct Element: Sendable, Hashable, Identifiable {
    /// The identity, unique in the list; it stays when the element moves.
    public let id: Int64
    /// The record that the element refers to.
    public var reference: Reference<Target>

    /// The key of the record.
    public var key: Target.Key { reference.key }
  }

  @usableFromInline var elements: [Element] = []

  /// Makes an empty list.
  public init() {}

  /// Makes a list of records.
  public init(_ records: some Sequence<Target>) {
    self.init(references: records.map { Reference(to: $0) })
  }

  /// Makes a list of references.
  public init(references: some Sequence<Reference<Target>>) {
    for reference in references { append(reference) }
  }

  /// The references in order.
  public var references: [Reference<Target>] { elements.map(\.reference) }

  /// The keys in order.
  public var keys: [Target.Key] { elements.map(\.key) }

  /// Whether an element refers to the record of a key.
  public func contains(key: Target.Key) -> Bool { elements.contains { $0.key == key } }

  /// The place of the element of an identity.
  public func index(id: Element.ID) -> Int? { elements.firstIndex { $0.id == id } }

  /// An identity that no element of any list is likely to have.
  private func freshID() -> Int64 {
    while true {
      let id = Int64.random(in: 1 ... .max)
      if !elements.contains(where: { $0.id == id }) || elements.count > 1_000 { return id }
    }
  }
}

extension ReferenceList: RandomAccessCollection {
  /// 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of elements.
  @inlinable public var endIndex: Int { elements.count }
  /// The element at a place.
  @inlinable public subscript(position: Int) -> Element { elements[position] }
}

extension ReferenceList {
  /// Adds a reference at the end.
  ///
  /// - Returns: The new element's identity.
  @discardableResult
  public mutating func append(_ reference: Reference<Target>) -> Element.ID {
    insert(reference, at: elements.count)
  }

  /// Adds a record at the end.
  ///
  /// - Returns: The new element's identity.
  @discardableResult
  public mutating func append(_ record: Target) -> Element.ID { append(Reference(to: record)) }

  /// Adds references at the end.
  public mutating func append(contentsOf references: some Sequence<Reference<Target>>) {
    for reference in references { append(reference) }
  }

  /// Inserts a reference before a place; a place beyond the ends is the nearer end.
  ///
  /// - Returns: The new element's identity.
  @discardableResult
  public mutating func insert(_ reference: Reference<Target>, at place: Int) -> Element.ID {
    let element = Element(id: freshID(), reference: reference)
    elements.insert(element, at: Swift.min(Swift.max(0, place), elements.count))
    return element.id
  }

  /// Inserts a record before a place.
  ///
  /// - Returns: The new element's identity.
  @discardableResult
  public mutating func insert(_ record: Target, at place: Int) -> Element.ID {
    insert(Reference(to: record), at: place)
  }

  /// Makes an element refer to another record; its identity stays.
  ///
  /// - Returns: Whether there is an element of the identity.
  @discardableResult
  public mutating func replace(_ id: Element.ID, with reference: Reference<Target>) -> Bool {
    guard let place = index(id: id) else { return false }
    elements[place].reference = reference
    return true
  }

  /// Removes the element of an identity.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public mutating func remove(_ id: Element.ID) -> Bool {
    guard let place = index(id: id) else { return false }
    elements.remove(at: place)
    return true
  }

  /// Removes the elements at places, as SwiftUI's `onDelete` gives them; places beyond the end are
  /// ignored.
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    let gone = Set(offsets)
    elements = elements.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
  }

  /// Removes the elements that refer to the record of a key.
  public mutating func removeAll(key: Target.Key) { elements.removeAll { $0.key == key } }

  /// Removes every element.
  public mutating func removeAll() { elements.removeAll() }

  /// Moves the elements at places before another place, as SwiftUI's `onMove` gives them.
  ///
  /// The place counts in the list as it is, and the moved elements keep their order. Places beyond
  /// the end are ignored.
  public mutating func move(fromOffsets offsets: some Sequence<Int>, toOffset place: Int) {
    let moved = Set(offsets)
    let place = Swift.min(Swift.max(0, place), elements.count)
    let all = elements.enumerated()
    elements =
      all.filter { $0.offset < place && !moved.contains($0.offset) }.map(\.element)
      + all.filter { moved.contains($0.offset) }.map(\.element)
      + all.filter { $0.offset >= place && !moved.contains($0.offset) }.map(\.element)
  }

  /// Exchanges two elements; places beyond the end change nothing.
  public mutating func swapAt(_ first: Int, _ second: Int) {
    guard elements.indices.contains(first), elements.indices.contains(second) else { return }
    elements.swapAt(first, second)
  }
}

extension ReferenceList: Equatable {
  /// Whether the elements are equal, their identities included.
  public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
}

extension ReferenceList: Hashable {
  /// Hashes the elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension ReferenceList: ExpressibleByArrayLiteral {
  /// Makes a list of references.
  public init(arrayLiteral references: Reference<Target>...) { self.init(references: references) }
}
