#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One value as a store keeps it, independent of the backend.
///
/// Equality is exact: two texts are equal when their UTF-8 bytes are (Swift's `String` would call
/// canonically equivalent texts equal), and an integer is not equal to a double of the same
/// magnitude. Order is total over all values; see ``StoredValue/precedes(_:)``.
public enum StoredValue: Sendable {
  /// The absence of a value.
  case null
  /// A truth value.
  case bool(Bool)
  /// A signed 64-bit integer.
  case integer(Int64)
  /// A double. Backends refuse to store not-a-number.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// A point in time, exact to the nanosecond.
  case date(Timestamp)
  /// Valid Unicode text; it may contain U+0000.
  case text(String)
  /// Bytes that a foreign file calls text but that are not valid UTF-8, exactly as stored.
  case malformedText([UInt8])
  /// Bytes.
  case data([UInt8])
  /// A universally unique identifier.
  case uuid(UUID)
  /// An object identifier.
  case objectID(ObjectID)
}

extension StoredValue {
  /// Whether this is the absence of a value.
  @inlinable public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// A name of the value's type for messages, never its content.
  public var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .integer: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .date: "date"
    case .text: "text"
    case .malformedText: "malformed text"
    case .data: "data"
    case .uuid: "uuid"
    case .objectID: "objectID"
    }
  }
}

extension StoredValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  /// Makes the absence of a value.
  public init(nilLiteral: ()) { self = .null }
  /// Makes a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a double.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }
}
