/// The values of one record on their way from a type to a store; valid inside
/// ``Model/write(to:)``.
///
/// Properties are written by their position in ``Model/modelDescription``, all of them, and lists by
/// their position in ``Model/modelLists``.
public struct RowWriter {
  @usableFromInline let row: RowBuffer
  @usableFromInline let layout: ModelLayout
  @usableFromInline let lists: ListCollector?

  @inlinable init(_ row: RowBuffer, _ layout: ModelLayout, lists: ListCollector? = nil) {
    self.row = row
    self.layout = layout
    self.lists = lists
  }

  /// Writes a value.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  @inlinable @inline(__always)
  public func write<Value: PropertyValue>(_ value: Value, at column: Int) throws(StoreError) {
    do {
      try value.write(into: row, at: column)
    } catch {
      throw located(error, column)
    }
  }

  /// Writes a raw value.
  ///
  /// - Throws: As the form for property values.
  @inlinable public func write<Value: RawRepresentable>(_ value: Value, at column: Int)
    throws(StoreError) where Value.RawValue: PropertyValue
  {
    try write(value.rawValue, at: column)
  }

  /// Writes a raw value, or a null.
  ///
  /// - Throws: As the form for property values.
  @inlinable public func write<Value: RawRepresentable>(_ value: Value?, at column: Int)
    throws(StoreError) where Value.RawValue: PropertyValue
  {
    try write(value?.rawValue, at: column)
  }

  /// Writes a value of a type that is both: as a property's value.
  ///
  /// - Throws: As the form for property values.
  @inlinable public func write<Value: PropertyValue & RawRepresentable>(
    _ value: Value, at column: Int
  ) throws(StoreError) where Value.RawValue: PropertyValue {
    do {
      try value.write(into: row, at: column)
    } catch {
      throw located(error, column)
    }
  }

  /// Writes a value as JSON.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when the value cannot be encoded.
  @_disfavoredOverload
  public func write<Value: Codable>(_ value: Value, at column: Int) throws(StoreError) {
    do {
      try JSONValue.encode(value).write(into: row, at: column)
    } catch {
      throw located(error, column)
    }
  }

  /// Writes a value as JSON, or a null.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when the value cannot be encoded.
  @_disfavoredOverload
  public func write<Value: Codable>(_ value: Value?, at column: Int) throws(StoreError) {
    guard let value else { return row[column] = ColumnSlot(.null) }
    try write(value, at: column)
  }

  /// Writes a list of references.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when a key cannot be kept.
  public func write<Target: Model>(_ list: ReferenceList<Target>, list index: Int)
    throws(StoreError)
  {
    try lists?.set(list.storedElements(), at: index)
  }

  @usableFromInline func located(_ error: StoreError, _ column: Int) -> StoreError {
    var error = error
    let name = layout.columns.indices.contains(column) ? layout.columns[column].name : "\(column)"
    let keys = layout.keyColumns.map { row.value(at: $0) }
    error.recordKey = keys.contains(where: \.isNull) ? nil : RecordKey(keys)
    error.message = "\"\(layout.name)\".\"\(name)\": \(error.message)"
    return error
  }
}
