/// The primary key of one record.
public struct RecordKey: Sendable, Hashable {
  /// The value of a key of one property, or the most significant one of a composite key.
  public let first: StoredValue
  /// The other values of a composite key.
  public let rest: [StoredValue]

  /// Makes a key of one value.
  @inlinable public init(_ value: StoredValue) {
    first = value
    rest = []
  }

  /// Makes a key of one or more values; `nil` for none.
  public init?(_ values: [StoredValue]) {
    guard let first = values.first else { return nil }
    self.first = first
    rest = Array(values.dropFirst())
  }

  /// Makes a key of its most significant value and the others.
  public init(first: StoredValue, rest: [StoredValue]) {
    self.first = first
    self.rest = rest
  }

  /// All values, most significant first.
  public var values: [StoredValue] { [first] + rest }

  /// The number of values.
  public var count: Int { 1 + rest.count }
}

extension RecordKey: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// Makes a key of one integer.
  public init(integerLiteral value: Int64) { self.init(.integer(value)) }
  /// Makes a key of one text.
  public init(stringLiteral value: String) { self.init(.text(value)) }
}
