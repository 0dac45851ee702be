/// One record of a model whose shape is known only when the program runs: names and values.
///
/// A record is a value: it crosses threads, changes nothing in the store until it is written, and
/// stays as it is when the store changes.
///
/// ```swift
/// var dog = try store.makeRecord("Dog", ["name": "Rex"])
/// try dog.set("age", 3)
/// ```
///
/// The records of one result share what was read in batches of at most 128 rows: one that is kept may
/// keep the bytes of those beside it.
///
/// `@unchecked Sendable`: the storage is changed only while one record alone refers to it.
public struct Record: @unchecked Sendable {
  @usableFromInline var content: RecordContent

  /// Makes a record with the model's default values.
  ///
  /// - Parameter values: Values by name; each is checked as by ``set(_:_:)``.
  /// - Throws: As ``set(_:_:)``.
  public init(_ layout: ModelLayout, _ values: [String: StoredValue] = [:]) throws(StoreError) {
    let columns = layout.columns
    content = .values(
      RecordStorage.make(layout, count: columns.count) { storage in
        for (index, column) in columns.enumerated() {
          (storage + index).initialize(to: column.defaultValue ?? .null)
        }
      })
    for (name, value) in values { try set(name, value) }
  }

  /// Makes a record of a model with the model's default values.
  ///
  /// When many records are made, ``Store/makeRecord(_:_:)`` shares what they have in common.
  public init(_ model: ModelDescription, _ values: [String: StoredValue] = [:])
    throws(StoreError)
  {
    try self.init(ModelLayout(model), values)
  }

  /// Copies the values of a row.
  @inline(__always)
  init(_ layout: ModelLayout, copying row: RowBuffer) {
    let count = row.count
    content = .values(
      RecordStorage.make(layout, count: count) { values in
        for index in 0..<count { (values + index).initialize(to: row.value(at: index)) }
      })
  }

  /// A row of a batch.
  @inline(__always)
  init(_ batch: RecordBatch, row: Int) { content = .row(batch, row) }

  /// The names and types of the values, shared by all records of a model.
  public var layout: ModelLayout { content.layout }

  /// The values in the order of the layout's columns.
  public var values: Values { Values(content) }

  /// The model's name.
  public var model: String { layout.name }

  /// The value of a property; `nil` when the model has no property of that name.
  public subscript(name: String) -> StoredValue? {
    guard let index = layout.index(of: name) else { return nil }
    return values[index]
  }

  /// Sets the value of a property.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty`` with the nearest name,
  ///   ``StoreError/Code/wrongType``, ``StoreError/Code/notStorable``. Whether a required value is
  ///   there is checked when the record is written.
  public mutating func set(_ name: String, _ value: StoredValue) throws(StoreError) {
    let index = try layout.column(named: name)
    let checked = try layout.checked(value, at: index, allowsNull: true)
    let storage = content.takeStorage()
    storage.withUnsafeMutablePointers { header, values in
      guard index < header.pointee.count else { return }
      values[index] = checked
    }
    content = .values(storage)
  }

  /// The primary key; `nil` when the model has none or the key has no value yet.
  public var key: RecordKey? {
    let (keyColumns, values) = (layout.keyColumns, values)
    if keyColumns.count == 1 {
      let value = values[keyColumns[0]]
      return value.isNull ? nil : RecordKey(value)
    }
    let parts = keyColumns.map { values[$0] }
    guard !parts.contains(where: \.isNull) else { return nil }
    return RecordKey(parts)
  }
}

extension Record: Equatable {
  /// Whether model, property names and values are equal.
  public static func == (left: Record, right: Record) -> Bool {
    guard left.values == right.values else { return false }
    return left.layout === right.layout
      || (left.layout.name == right.layout.name
        && left.layout.columns.map(\.name) == right.layout.columns.map(\.name))
  }
}

extension Record: CustomStringConvertible {
  /// The model with the names of its properties and the types of the values, not the values.
  public var description: String {
    let parts = layout.columns.enumerated().map { "\($1.name): \(self.values[$0].typeName)" }
    return "\(model)(\(parts.joined(separator: ", ")))"
  }
}

extension ModelLayout {
  /// The index of a property.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty`` with the nearest name.
  func column(named name: String) throws(StoreError) -> Int {
    if let index = index(of: name) { return index }
    let hint = closestMatch(name, in: columns.map(\.name))
    throw StoreError(
      .unknownProperty, "\"\(self.name)\" has no property \"\(name.prefix(80))\"",
      suggestion: hint.map { "did you mean \"\($0)\"?" })
  }

  /// A value as a column stores it.
  func checked(_ value: StoredValue, at index: Int, allowsNull: Bool) throws(StoreError)
    -> StoredValue
  {
    // Most values are of the column's own type: nothing else of the column is looked at.
    switch (types[index], value) {
    case (.integer, .integer), (.text, .text), (.bool, .bool), (.date, .date), (.data, .data):
      return value
    case (.double, .double(let number)) where !number.isNaN: return value
    default: break
    }
    let column = columns[index]
    do {
      return try value.coerced(to: column.type, isOptional: allowsNull || column.isOptional)
    } catch {
      var named = StoreError(
        error.code, "\"\(name)\".\"\(column.name)\": \(error.message)",
        suggestion: error.suggestion)
      named.found = error.found
      named.expected = error.expected
      throw named
    }
  }
}
