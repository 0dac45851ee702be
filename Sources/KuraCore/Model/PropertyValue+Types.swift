#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Bool: PropertyValue, ModelKey {
  /// A truth value.
  @inlinable public static var valueType: ValueType { .bool }
  /// Reads a truth value.
  @inlinable public init?(slot: ColumnSlot) {
    guard slot.kind == .bool else { return nil }
    self = slot.word0 != 0
  }
  /// Writes the truth value.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    row[column] = ColumnSlot(.bool, self ? 1 : 0)
  }
}

extension PropertyValue where Self: FixedWidthInteger {
  /// An integer.
  @inlinable public static var valueType: ValueType { .integer }
  /// Reads an integer that the type can hold.
  @inlinable public init?(slot: ColumnSlot) {
    guard slot.kind == .integer else { return nil }
    self.init(exactly: slot.integer)
  }
  /// Writes the integer.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` beyond 64 bits with a sign.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    guard let value = Int64(exactly: self) else { throw PropertyValueError.integerTooLarge }
    row[column] = ColumnSlot(.integer, UInt64(bitPattern: value))
  }
}

extension Int: PropertyValue, ModelKey {}
extension Int64: PropertyValue, ModelKey {}
extension Int32: PropertyValue, ModelKey {}
extension Int16: PropertyValue, ModelKey {}
extension Int8: PropertyValue, ModelKey {}
extension UInt: PropertyValue, ModelKey {}
extension UInt64: PropertyValue, ModelKey {}
extension UInt32: PropertyValue, ModelKey {}
extension UInt16: PropertyValue, ModelKey {}
extension UInt8: PropertyValue, ModelKey {}

extension Double: PropertyValue, ModelKey {
  /// A double.
  @inlinable public static var valueType: ValueType { .double }
  /// Reads a double.
  @inlinable public init?(slot: ColumnSlot) {
    guard slot.kind == .double else { return nil }
    self = slot.double
  }
  /// Writes the double.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when it is not a number.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    guard !isNaN else { throw PropertyValueError.notANumber }
    row[column] = ColumnSlot(.double, bitPattern)
  }
}

extension Float: PropertyValue, ModelKey {
  /// A double, which has every float's value.
  @inlinable public static var valueType: ValueType { .double }
  /// Reads a double that a float can be exactly.
  @inlinable public init?(slot: ColumnSlot) {
    guard slot.kind == .double else { return nil }
    self.init(exactly: slot.double)
  }
  /// Writes the number.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when it is not a number.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    try Double(self).write(into: row, at: column)
  }
}

extension String: PropertyValue, ModelKey {
  /// A text.
  @inlinable public static var valueType: ValueType { .text }
  /// Reads a text of valid UTF-8.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .text else { return nil }
    self.init(validUTF8: slot.bytes)
  }
  /// Writes the text.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    var copy = self
    copy.withUTF8 { row.setBytes(UnsafeRawBufferPointer($0), kind: .text, column: column) }
  }
}

extension Data: PropertyValue, ModelKey {
  /// Bytes.
  @inlinable public static var valueType: ValueType { .data }
  /// Reads bytes.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .data else { return nil }
    self.init(slot.bytes)
  }
  /// Writes the bytes.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    withUnsafeBytes { row.setBytes($0, kind: .data, column: column) }
  }
}

extension [UInt8]: PropertyValue, ModelKey {
  /// Bytes.
  @inlinable public static var valueType: ValueType { .data }
  /// Reads bytes.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .data else { return nil }
    self.init(slot.bytes)
  }
  /// Writes the bytes.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    withUnsafeBytes { row.setBytes($0, kind: .data, column: column) }
  }
}

extension Timestamp: PropertyValue, ModelKey {
  /// A point in time.
  @inlinable public static var valueType: ValueType { .date }
  /// Reads a point in time.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .date else { return nil }
    self.init(seconds: slot.integer, nanoseconds: UInt32(truncatingIfNeeded: slot.word1))
  }
  /// Writes the point in time.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    row[column] = ColumnSlot(.date, UInt64(bitPattern: seconds), UInt64(nanoseconds))
  }
}

extension Date: PropertyValue, ModelKey {
  /// A point in time.
  @inlinable public static var valueType: ValueType { .date }
  /// Reads the nearest date.
  public init?(slot: ColumnSlot) {
    guard let time = Timestamp(slot: slot) else { return nil }
    self = time.date
  }
  /// Writes the nearest point in time.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` outside the years 0 to 9999.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    guard let time = Timestamp(self) else { throw PropertyValueError.dateOutOfRange }
    try time.write(into: row, at: column)
  }
}

extension UUID: PropertyValue, ModelKey {
  /// A universally unique identifier.
  @inlinable public static var valueType: ValueType { .uuid }
  /// Reads an identifier.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .uuid else { return nil }
    self.init(high: slot.word0, low: slot.word1)
  }
  /// Writes the identifier.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    let (high, low) = words
    row[column] = ColumnSlot(.uuid, high, low)
  }
}

extension ObjectID: PropertyValue, ModelKey {
  /// An object identifier.
  @inlinable public static var valueType: ValueType { .objectID }
  /// Reads an identifier.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .objectID else { return nil }
    self.init(high: slot.word0, low: UInt32(truncatingIfNeeded: slot.word1))
  }
  /// Writes the identifier.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    row[column] = ColumnSlot(.objectID, high, UInt64(low))
  }
}

extension Decimal: PropertyValue, ModelKey {
  /// A decimal number.
  @inlinable public static var valueType: ValueType { .decimal }
  /// Reads a decimal number.
  public init?(slot: ColumnSlot) {
    guard slot.kind == .decimal, let value = Decimal(sortableText: slot.bytes) else { return nil }
    self = value
  }
  /// Writes the number.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when it is not a number.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    guard !isNaN else { throw PropertyValueError.notANumber }
    row.setValue(.decimal(self), at: column)
  }
}

extension URL: PropertyValue, ModelKey {
  /// A text.
  @inlinable public static var valueType: ValueType { .text }
  /// Reads a text that is a URL.
  public init?(slot: ColumnSlot) {
    guard let text = String(slot: slot) else { return nil }
    self.init(string: text)
  }
  /// Writes the URL as it was given, with the base it is relative to resolved.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    try absoluteString.write(into: row, at: column)
  }
}

/// Why a value cannot be stored.
@usableFromInline enum PropertyValueError {
  @usableFromInline static var integerTooLarge: StoreError {
    StoreError(
      .notStorable, "an integer is beyond 64 bits with a sign",
      expected: "at most \(Int64.max)", suggestion: "keep it as text or decimal")
  }

  @usableFromInline static var notANumber: StoreError {
    StoreError(
      .notStorable, "not-a-number cannot be stored",
      suggestion: "make the property optional and use nil")
  }

  @usableFromInline static var dateOutOfRange: StoreError {
    StoreError(
      .notStorable, "a date is outside the years 0 to 9999", suggestion: "keep it as a double")
  }
}
