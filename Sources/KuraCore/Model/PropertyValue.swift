/// A Swift type whose values are the values of a property.
///
/// Kura conforms `Bool`, the integers, `Float`, `Double`, `String`, `Data`, `[UInt8]`, `Date`,
/// ``Timestamp``, `UUID`, `URL`, `Decimal`, ``ObjectID``, ``Reference``, and optionals of them.
/// Enums with a raw value of one of these types and `Codable` types need no conformance.
public protocol PropertyValue: Sendable {
  /// The type of the property.
  static var valueType: ValueType { get }
  /// Whether the property may have no value.
  static var isOptionalValue: Bool { get }
  /// The model that the values are keys of, if they are.
  static var referencedModel: String? { get }

  /// Reads a value; `nil` when the slot has none that the type can be.
  init?(slot: ColumnSlot)

  /// Writes the value into a column.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  func write(into row: RowBuffer, at column: Int) throws(StoreError)
}

extension PropertyValue {
  /// A value is required.
  @inlinable public static var isOptionalValue: Bool { false }
  /// The values refer to nothing.
  @inlinable public static var referencedModel: String? { nil }

  /// The value as a store keeps it.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  public func storedValue() throws(StoreError) -> StoredValue {
    let row = RowBuffer(columns: 1)
    try write(into: row, at: 0)
    return row.value(at: 0)
  }

  /// Reads a stored value; `nil` when it is none that the type can be.
  public init?(storedValue: StoredValue) {
    guard let value = storedValue.withSlot({ Self(slot: $0) }) else { return nil }
    self = value
  }
}

extension StoredValue {
  /// Calls a body with a slot that borrows the value.
  func withSlot<R>(_ body: (ColumnSlot) -> R) -> R {
    func lend(_ text: String, _ kind: ColumnSlot.Kind) -> R {
      var text = text
      return text.withUTF8 { body(ColumnSlot(kind, borrowing: UnsafeRawBufferPointer($0))) }
    }
    switch self {
    case .null: return body(ColumnSlot(.null))
    case .bool(let value): return body(ColumnSlot(.bool, value ? 1 : 0))
    case .integer(let value): return body(ColumnSlot(.integer, UInt64(bitPattern: value)))
    case .double(let value): return body(ColumnSlot(.double, value.bitPattern))
    case .decimal(let value): return lend(value.sortableText, .decimal)
    case .date(let value):
      return body(
        ColumnSlot(.date, UInt64(bitPattern: value.seconds), UInt64(value.nanoseconds)))
    case .text(let value): return lend(value, .text)
    case .malformedText(let bytes):
      return bytes.withUnsafeBytes { body(ColumnSlot(.malformedText, borrowing: $0)) }
    case .data(let bytes):
      return bytes.withUnsafeBytes { body(ColumnSlot(.data, borrowing: $0)) }
    case .uuid(let value):
      let (high, low) = value.words
      return body(ColumnSlot(.uuid, high, low))
    case .objectID(let value):
      return body(ColumnSlot(.objectID, value.high, UInt64(value.low)))
    }
  }
}

extension StoredValue: PropertyValue {
  /// A value of any type.
  public static var valueType: ValueType { .any }
  /// Reads whatever there is.
  public init?(slot: ColumnSlot) { self = slot.value }
  /// Writes the value.
  public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    row.setValue(self, at: column)
  }
}

extension Optional: PropertyValue where Wrapped: PropertyValue {
  /// The type of the wrapped values.
  @inlinable public static var valueType: ValueType { Wrapped.valueType }
  /// A value may be missing.
  @inlinable public static var isOptionalValue: Bool { true }
  /// What the wrapped values refer to.
  @inlinable public static var referencedModel: String? { Wrapped.referencedModel }

  /// Reads a value, or `nil` of a null.
  @inlinable public init?(slot: ColumnSlot) {
    if slot.kind == .null {
      self = Optional<Wrapped>.none
      return
    }
    guard let value = Wrapped(slot: slot) else { return nil }
    self = .some(value)
  }

  /// Writes the value, or a null.
  @inlinable public func write(into row: RowBuffer, at column: Int) throws(StoreError) {
    if let self {
      try self.write(into: row, at: column)
    } else {
      row[column] = ColumnSlot(.null)
    }
  }
}
