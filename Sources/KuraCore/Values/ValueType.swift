/// The logical type of a property.
///
/// A backend decides how a type looks in its file; the type's values, their equality and their
/// order are the same on every backend.
public enum ValueType: String, Sendable, Hashable, Codable, CaseIterable {
  /// `true` or `false`; `false` orders first.
  case bool
  /// A signed 64-bit integer.
  case integer
  /// An IEEE 754 double; not-a-number cannot be stored.
  case double
  /// A decimal number of at most 38 significant digits.
  case decimal
  /// A point in time in UTC with a resolution of one nanosecond, years 0 to 9999.
  case date
  /// Unicode text, ordered by its UTF-8 bytes.
  case text
  /// Bytes, ordered like `memcmp`, a prefix first.
  case data
  /// A 128-bit universally unique identifier, ordered by its bytes.
  case uuid
  /// A 12-byte object identifier in the layout of BSON, ordered by its bytes.
  case objectID
  /// JSON text: a `Codable` value. Ordered and compared as text.
  case json
  /// A value of any type, as in a foreign file whose columns promise nothing.
  case any
}
