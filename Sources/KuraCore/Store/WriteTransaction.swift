/// The one write transaction of a store, inside the closure of ``Store/write(timeout:_:)``.
///
/// Reads see the transaction's own changes. A call that throws has changed nothing, and the
/// transaction goes on. After the closure's end every call throws
/// ``StoreError/Code/transactionEnded``.
///
/// Values are checked against the properties' types before they are written. A property takes values
/// of its own type; a double takes also integers that it can hold exactly, JSON takes text.
public final class WriteTransaction: ReadTransaction {
  @usableFromInline let writer: any EngineWriteTransaction
  private var buffers: [ObjectIdentifier: RowBuffer] = [:]
  /// The model that was written last and its buffer: most writes are of the same one.
  @exclusivity(unchecked) private var lastLayout: ModelLayout?
  @exclusivity(unchecked) private var lastBuffer = RowBuffer(columns: 0)
  /// Whether a savepoint could not be rolled back.
  private(set) var isBroken = false

  init(_ writer: any EngineWriteTransaction, _ store: Store) {
    self.writer = writer
    super.init(writer, store)
  }

  // MARK: One record

  /// Writes a new record.
  ///
  /// - Returns: The record's key; the store chooses an integer key that is null.
  /// - Throws: ``StoreError/Code/duplicateKey``, ``StoreError/Code/notUnique``,
  ///   ``StoreError/Code/missingValue``, ``StoreError/Code/brokenReference``,
  ///   ``StoreError/Code/unknownModel``, ``StoreError/Code/transactionEnded``.
  @discardableResult
  public func insert(_ record: Record) throws(StoreError) -> RecordKey {
    try write(record, .insert)
  }

  /// Writes a new record of values by name; the others have the model's default values.
  ///
  /// - Throws: As ``insert(_:)-(Record)``; ``StoreError/Code/unknownProperty``,
  ///   ``StoreError/Code/wrongType``.
  @discardableResult
  public func insert(_ model: String, _ values: [String: StoredValue]) throws(StoreError)
    -> RecordKey
  {
    try write(try store.makeRecord(model, values), .insert)
  }

  /// Writes a record in the place of the one of the same key, or as a new one.
  ///
  /// - Throws: As ``insert(_:)-(Record)`` without ``StoreError/Code/duplicateKey``.
  @discardableResult
  public func upsert(_ record: Record) throws(StoreError) -> RecordKey {
    try write(record, .upsert)
  }

  /// Writes a record of values by name in the place of the one of the same key, or as a new one;
  /// the properties that are not named get the model's default values.
  ///
  /// - Throws: As ``upsert(_:)-(Record)``.
  @discardableResult
  public func upsert(_ model: String, _ values: [String: StoredValue]) throws(StoreError)
    -> RecordKey
  {
    try write(try store.makeRecord(model, values), .upsert)
  }

  /// Replaces the values of the record of the same key.
  ///
  /// - Returns: Whether there is such a record.
  /// - Throws: As ``upsert(_:)-(Record)``; ``StoreError/Code/wrongKey`` when the record has no key.
  @discardableResult
  public func update(_ record: Record) throws(StoreError) -> Bool {
    let (layout, row) = try filled(record)
    guard let key = record.key else {
      throw located(
        StoreError(.wrongKey, "the record of \"\(layout.name)\" has no key to be found by"))
    }
    let keys = Set(layout.keyColumns)
    return try writer.update(
      key, in: layout, columns: layout.columns.indices.filter { !keys.contains($0) }, from: row)
  }

  /// Sets some properties of the record of a key.
  ///
  /// - Returns: Whether there is such a record.
  /// - Throws: ``StoreError/Code/wrongKey`` for a wrong key or when a key property is among the
  ///   values, and as ``insert(_:_:)``.
  @discardableResult
  public func update(_ model: String, key: RecordKey, _ values: [String: StoredValue])
    throws(StoreError) -> Bool
  {
    let layout = try store.layout(of: model)
    let (columns, row) = try filled(layout, values)
    return try writer.update(key, in: layout, columns: columns, from: row)
  }

  /// Deletes the record of a key.
  ///
  /// - Returns: Whether there was such a record.
  /// - Throws: ``StoreError/Code/wrongKey``, ``StoreError/Code/brokenReference``.
  @discardableResult
  public func delete(_ model: String, key: RecordKey) throws(StoreError) -> Bool {
    let layout = try store.layout(of: model)
    guard store.ownership.contains(model) else { return try writer.delete(key, in: layout) }
    return try deleteOwned([key], of: layout) == 1
  }

  // MARK: Many records

  /// Sets some properties of all records of a query, in one pass.
  ///
  /// - Returns: The number of records.
  /// - Throws: As ``update(_:key:_:)``.
  @discardableResult
  public func update(_ query: Query, set values: [String: StoredValue]) throws(StoreError) -> Int {
    let bound = try bound(query)
    let (columns, row) = try filled(bound.layout, values)
    return try writer.update(matching: bound, columns: columns, from: row)
  }

  /// Deletes all records of a query.
  ///
  /// - Returns: The number of records, without those that delete rules removed.
  /// - Throws: ``StoreError/Code/brokenReference`` and as ``records(_:)``.
  @discardableResult
  public func delete(_ query: Query) throws(StoreError) -> Int {
    let bound = try bound(query)
    guard store.ownership.contains(bound.layout.name) else {
      return try writer.delete(matching: bound)
    }
    return try deleteOwned(try OwnedDeletion.keys(of: bound, writer), of: bound.layout)
  }

  private func deleteOwned(_ keys: [RecordKey], of layout: ModelLayout) throws(StoreError) -> Int {
    try together { () throws(StoreError) in
      var deletion = OwnedDeletion(store, writer)
      return try deletion.delete(keys, of: layout)
    }
  }

  /// Several writes that take effect together or not at all.
  @usableFromInline func together<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    do {
      return try savepoint(body)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.internalError, "a write ended in an unexpected way: \(type(of: error))")
    }
  }

  // MARK: Savepoints

  /// Runs a part of the transaction that takes effect as a whole or not at all; parts nest.
  ///
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, after its changes were undone; the transaction goes on when the
  ///   caller catches the error.
  @discardableResult
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try writer.beginSavepoint()
    let result: R
    do {
      result = try body()
    } catch {
      do {
        try writer.rollBackToSavepoint()
      } catch {
        // What the part did may still be there: the whole must not be committed.
        isBroken = true
      }
      throw error
    }
    try writer.releaseSavepoint()
    return result
  }

  // MARK: Rows

  private func write(_ record: Record, _ mode: WriteMode) throws(StoreError) -> RecordKey {
    let (layout, row) = try filled(record)
    let number = try writer.write(row, into: layout, mode: mode)
    if let number { return RecordKey(.integer(number)) }
    guard let key = record.key else {
      throw located(
        StoreError(.internalError, "the backend gave no key to a record of \"\(layout.name)\""))
    }
    return key
  }

  /// A buffer with the checked values of a record.
  private func filled(_ record: Record) throws(StoreError) -> (ModelLayout, RowBuffer) {
    let isLast = lastLayout === record.layout
    let layout = isLast ? record.layout : try store.layout(of: record.model)
    let row = buffer(layout)
    let (values, isSameLayout) = (record.values, layout === record.layout)
    do throws(StoreError) {
      for index in layout.types.indices {
        let value: StoredValue =
          if isSameLayout || layout.columns[index].name == record.name(at: index) {
            values[index]
          } else {
            // A record made of another description of the model: by name.
            record[layout.columns[index].name] ?? layout.columns[index].defaultValue ?? .null
          }
        let isChosen = value.isNull && layout.choosesKey(at: index)
        row.setValue(try layout.checked(value, at: index, allowsNull: isChosen), at: index)
      }
      if !isSameLayout {
        for column in record.layout.columns { _ = try layout.column(named: column.name) }
      }
    } catch {
      throw located(error)
    }
    return (layout, row)
  }

  /// A buffer with the checked values of some columns.
  private func filled(_ layout: ModelLayout, _ values: [String: StoredValue])
    throws(StoreError) -> ([Int], RowBuffer)
  {
    let row = buffer(layout)
    var columns: [Int] = []
    do throws(StoreError) {
      for (name, value) in values {
        let index = try layout.column(named: name)
        guard !layout.keyColumns.contains(index) else {
          throw StoreError(
            .wrongKey, "the key property \"\(layout.name)\".\"\(name)\" cannot be changed",
            suggestion: "delete the record and insert it with the new key")
        }
        row.setValue(try layout.checked(value, at: index, allowsNull: false), at: index)
        columns.append(index)
      }
    } catch {
      throw located(error)
    }
    return (columns.sorted(), row)
  }

  private func buffer(_ layout: ModelLayout) -> RowBuffer {
    if lastLayout !== layout {
      lastBuffer = findBuffer(layout)
      lastLayout = layout
    }
    lastBuffer.reset()
    return lastBuffer
  }

  private func findBuffer(_ layout: ModelLayout) -> RowBuffer {
    let identity = ObjectIdentifier(layout)
    if let buffer = buffers[identity] { return buffer }
    let buffer = RowBuffer(columns: layout.columns.count)
    buffers[identity] = buffer
    return buffer
  }
}

extension Record {
  fileprivate func name(at index: Int) -> String? {
    layout.columns.indices.contains(index) ? layout.columns[index].name : nil
  }
}

extension ModelLayout {
  /// Whether the store chooses a value for a null in the column: the only key column, an integer.
  fileprivate func choosesKey(at index: Int) -> Bool {
    keyColumns.count == 1 && keyColumns[0] == index && columns[index].type == .integer
  }
}

extension Store {
  /// Makes a record with the model's default values and values by name; it is not written yet.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/unknownProperty``,
  ///   ``StoreError/Code/wrongType``, ``StoreError/Code/notStorable``.
  public func makeRecord(_ model: String, _ values: [String: StoredValue] = [:])
    throws(StoreError) -> Record
  {
    let layout = try layout(of: model)
    do {
      return try Record(layout, values)
    } catch {
      throw error.at(configuration.location.path)
    }
  }
}
