/// The values of one record on their way from a store to a type; valid inside ``Model/init(from:)``.
///
/// Properties are read by their position in ``Model/modelDescription``, lists by their position in
/// ``Model/modelLists`` and after the properties.
public struct RowReader {
  @usableFromInline let row: RowBuffer
  @usableFromInline let layout: ModelLayout
  @usableFromInline let lists: ListReader?

  @inlinable init(_ row: RowBuffer, _ layout: ModelLayout, lists: ListReader? = nil) {
    self.row = row
    self.layout = layout
    self.lists = lists
  }

  /// Reads a value.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` when the type cannot be it.
  @inlinable @inline(__always)
  public func read<Value: PropertyValue>(_ column: Int, as type: Value.Type = Value.self)
    throws(StoreError) -> Value
  {
    guard let value = Value(slot: row[column]) else { throw mismatch(column, "\(type)") }
    return value
  }

  /// Reads the raw value of an enum or another type with raw values.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` when there is no case of the raw value.
  @inlinable public func read<Value: RawRepresentable>(
    _ column: Int, as type: Value.Type = Value.self
  ) throws(StoreError) -> Value where Value.RawValue: PropertyValue {
    guard let value = try read(column, as: Value?.self) else { throw mismatch(column, "\(type)") }
    return value
  }

  /// Reads the raw value of an enum or another type with raw values, or null.
  ///
  /// - Throws: As the form for values that are required.
  @inlinable public func read<Value: RawRepresentable>(
    _ column: Int, as type: Value?.Type = Value?.self
  ) throws(StoreError) -> Value? where Value.RawValue: PropertyValue {
    guard row[column].kind != .null else { return nil }
    guard let raw = Value.RawValue(slot: row[column]), let value = Value(rawValue: raw) else {
      throw mismatch(column, "\(Value.self)")
    }
    return value
  }

  /// Reads a value of a type that is both: as a property's value.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` when the type cannot be it.
  @inlinable public func read<Value: PropertyValue & RawRepresentable>(
    _ column: Int, as type: Value.Type = Value.self
  ) throws(StoreError) -> Value where Value.RawValue: PropertyValue {
    guard let value = Value(slot: row[column]) else { throw mismatch(column, "\(type)") }
    return value
  }

  /// Reads a value that is kept as JSON.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` when the JSON is none of the type.
  @_disfavoredOverload
  public func read<Value: Codable>(_ column: Int, as type: Value.Type = Value.self)
    throws(StoreError) -> Value
  {
    let slot = row[column]
    guard slot.kind == .text, let value = JSONValue.decode(type, slot.bytes) else {
      throw mismatch(column, "\(type)")
    }
    return value
  }

  /// Reads a value that is kept as JSON, or null.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` when the JSON is none of the type.
  @_disfavoredOverload
  public func read<Value: Codable>(_ column: Int, as type: Value?.Type = Value?.self)
    throws(StoreError) -> Value?
  {
    guard row[column].kind != .null else { return nil }
    return try read(column, as: Value.self)
  }

  /// Reads a list of references.
  ///
  /// - Throws: What reading throws; ``StoreError/Code/wrongType``.
  public func list<Target: Model>(_ index: Int, as type: ReferenceList<Target>.Type)
    throws(StoreError) -> ReferenceList<Target>
  {
    guard let lists else { return ReferenceList() }
    return try ReferenceList(lists.elements(index, of: row))
  }

  @usableFromInline func mismatch(_ column: Int, _ type: String) -> StoreError {
    let name = layout.columns.indices.contains(column) ? layout.columns[column].name : "\(column)"
    var error = StoreError(
      .wrongType,
      "the value of \"\(layout.name)\".\"\(name)\" cannot be read as the property's type",
      found: row.value(at: column).typeName, expected: type)
    error.recordKey = RecordKey(layout.keyColumns.map { row.value(at: $0) })
    return error
  }
}
