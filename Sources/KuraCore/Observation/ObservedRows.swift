/// The rows of an observed query as they were at one commit.
///
/// A value: it stays as it is when the store changes, crosses threads, and shares with the rows before
/// and after it what they have in common. An element by its index costs the logarithm of the count.
public struct ObservedRows<Element: Sendable>: Sendable {
  private let rope: Rope<ObservedRow<Element>>

  init(_ rope: Rope<ObservedRow<Element>>) {
    self.rope = rope
  }

  /// No rows.
  public init() { self.init(Rope()) }

  /// The primary key of the row at an index; `nil` beyond the ends.
  public func key(at index: Int) -> RecordKey? { rope.element(at: index)?.key }

  /// The primary keys in the order of the rows.
  public var keys: [RecordKey] { rope.map(\.key) }
}

/// One row with what orders and identifies it.
final class ObservedRow<Element: Sendable>: Sendable {
  let key: RecordKey
  /// Bytes in whose order the rows are.
  let order: [UInt8]
  let fingerprint: Fingerprint
  let element: Element

  init(_ key: RecordKey, order: [UInt8], _ fingerprint: Fingerprint, _ element: Element) {
    self.key = key
    self.order = order
    self.fingerprint = fingerprint
    self.element = element
  }
}

extension ObservedRows: RandomAccessCollection {
  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index behind the last row.
  public var endIndex: Int { rope.count }

  /// The row at an index.
  ///
  /// - Precondition: The index is one of the rows, as in all of Swift's collections;
  ///   ``element(at:)`` asks instead.
  public subscript(index: Int) -> Element {
    guard let row = rope.element(at: index) else {
      // What an array does.
      return Array<Element>()[index]
    }
    return row.element
  }

  /// The row at an index; `nil` beyond the ends.
  public func element(at index: Int) -> Element? { rope.element(at: index)?.element }

  /// Walks over the rows in their order.
  public struct Iterator: IteratorProtocol {
    fileprivate var rows: Rope<ObservedRow<Element>>.Iterator

    /// The next row; `nil` at the end.
    public mutating func next() -> Element? { rows.next()?.element }
  }

  /// Begins to walk.
  public func makeIterator() -> Iterator { Iterator(rows: rope.makeIterator()) }
}

extension ObservedRows: Equatable where Element: Equatable {
  /// Whether the rows are equal, in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
