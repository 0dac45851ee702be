#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A Swift type whose values a store keeps as one value.
public protocol StoredValueConvertible {
  /// The value as a store keeps it; null when there is none, such as a date beyond the year 9999.
  var storedValue: StoredValue { get }

  /// Reads a stored value; `nil` when it is of another type or out of range.
  init?(storedValue: StoredValue)
}

extension StoredValue: StoredValueConvertible {
  /// The value itself.
  public var storedValue: StoredValue { self }
  /// The value itself.
  public init?(storedValue: StoredValue) { self = storedValue }
}

extension Bool: StoredValueConvertible {
  /// A truth value.
  public var storedValue: StoredValue { .bool(self) }
  /// Reads a truth value.
  public init?(storedValue: StoredValue) {
    guard case .bool(let value) = storedValue else { return nil }
    self = value
  }
}

extension StoredValueConvertible where Self: FixedWidthInteger {
  /// An integer; null when it is beyond 64 bits with a sign.
  public var storedValue: StoredValue { Int64(exactly: self).map { .integer($0) } ?? .null }
  /// Reads an integer that the type can hold.
  public init?(storedValue: StoredValue) {
    guard case .integer(let value) = storedValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int: StoredValueConvertible {}
extension Int64: StoredValueConvertible {}
extension Int32: StoredValueConvertible {}
extension Int16: StoredValueConvertible {}
extension Int8: StoredValueConvertible {}
extension UInt32: StoredValueConvertible {}
extension UInt16: StoredValueConvertible {}
extension UInt8: StoredValueConvertible {}

extension Double: StoredValueConvertible {
  /// A double.
  public var storedValue: StoredValue { .double(self) }
  /// Reads a double.
  public init?(storedValue: StoredValue) {
    guard case .double(let value) = storedValue else { return nil }
    self = value
  }
}

extension String: StoredValueConvertible {
  /// A text.
  public var storedValue: StoredValue { .text(self) }
  /// Reads a text.
  public init?(storedValue: StoredValue) {
    guard case .text(let value) = storedValue else { return nil }
    self = value
  }
}

extension Decimal: StoredValueConvertible {
  /// A decimal number.
  public var storedValue: StoredValue { .decimal(self) }
  /// Reads a decimal number.
  public init?(storedValue: StoredValue) {
    guard case .decimal(let value) = storedValue else { return nil }
    self = value
  }
}

extension Timestamp: StoredValueConvertible {
  /// A point in time.
  public var storedValue: StoredValue { .date(self) }
  /// Reads a point in time.
  public init?(storedValue: StoredValue) {
    guard case .date(let value) = storedValue else { return nil }
    self = value
  }
}

extension Date: StoredValueConvertible {
  /// The nearest point in time; null outside the years 0 to 9999.
  public var storedValue: StoredValue { Timestamp(self).map { .date($0) } ?? .null }
  /// Reads a point in time.
  public init?(storedValue: StoredValue) {
    guard case .date(let value) = storedValue else { return nil }
    self = value.date
  }
}

extension Data: StoredValueConvertible {
  /// Bytes.
  public var storedValue: StoredValue { .data(Array(self)) }
  /// Reads bytes.
  public init?(storedValue: StoredValue) {
    guard case .data(let value) = storedValue else { return nil }
    self = Data(value)
  }
}

extension [UInt8]: StoredValueConvertible {
  /// Bytes.
  public var storedValue: StoredValue { .data(self) }
  /// Reads bytes.
  public init?(storedValue: StoredValue) {
    guard case .data(let value) = storedValue else { return nil }
    self = value
  }
}

extension UUID: StoredValueConvertible {
  /// A universally unique identifier.
  public var storedValue: StoredValue { .uuid(self) }
  /// Reads a universally unique identifier.
  public init?(storedValue: StoredValue) {
    guard case .uuid(let value) = storedValue else { return nil }
    self = value
  }
}

extension ObjectID: StoredValueConvertible {
  /// An object identifier.
  public var storedValue: StoredValue { .objectID(self) }
  /// Reads an object identifier.
  public init?(storedValue: StoredValue) {
    guard case .objectID(let value) = storedValue else { return nil }
    self = value
  }
}

extension Record {
  /// The value of a property as a Swift type.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty``; ``StoreError/Code/wrongType`` when the value is
  ///   null, of another type or out of the type's range.
  public func value<T: StoredValueConvertible>(_ name: String, as type: T.Type = T.self)
    throws(StoreError) -> T
  {
    guard let value = try optionalValue(name, as: type) else {
      throw mismatch(name, .null, "\(type)")
    }
    return value
  }

  /// The value of a property as a Swift type; `nil` for null.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty``; ``StoreError/Code/wrongType`` when the value is
  ///   of another type or out of the type's range.
  public func optionalValue<T: StoredValueConvertible>(_ name: String, as type: T.Type = T.self)
    throws(StoreError) -> T?
  {
    let stored = values[try layout.column(named: name)]
    guard !stored.isNull else { return nil }
    guard let value = T(storedValue: stored) else { throw mismatch(name, stored, "\(type)") }
    return value
  }

  private func mismatch(_ name: String, _ value: StoredValue, _ expected: String) -> StoreError {
    StoreError(
      .wrongType, "the value of \"\(model)\".\"\(name)\" cannot be read as the type asked for",
      found: value.typeName, expected: expected)
  }
}
