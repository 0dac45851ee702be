import CSQLite
import KuraCore

extension ChangeShapes.Table {
  init(_ model: StoredModel, _ description: ModelDescription?, _ missing: OpaquePointer?) {
    let layout = description.map { ModelLayout($0) } ?? ModelLayout(model)
    isKuraModel = description != nil
    isTold =
      model.kind == .table && !model.columns.isEmpty
      && !model.columns.contains { $0.isHidden || $0.generation != nil }
    owner = model.kind == .shadow ? model.module : nil
    unsafe self.missing = unsafe missing
    var columns: [Column] = []
    for (index, stored) in model.columns.enumerated() {
      guard let place = layout.index(of: stored.name) else { continue }
      let declared = stored.declaredType.uppercased()
      columns.append(
        Column(
          index: Int32(clamping: index), place: place,
          codec: ColumnCodec(layout.columns[place].type, isKuraModel: layout.isKuraModel),
          // The rules of datatype3.html, section 3.1.
          isReal: ["REAL", "FLOA", "DOUB"].contains { declared.contains($0) }
            && !["INT", "CHAR", "CLOB", "TEXT", "BLOB"].contains { declared.contains($0) },
          initial: layout.columns[place].defaultValue, hasDefault: stored.defaultSQL != nil))
    }
    self.columns = columns
    if let description, TableLowering.usesRowID(description) {
      key = nil
    } else if layout.keyColumns.isEmpty {
      key = nil
    } else {
      let found = layout.keyColumns.compactMap { place in columns.first { $0.place == place } }
      key = found.count == layout.keyColumns.count ? found : []
    }
  }

  /// The key of a changed row; `nil` when the row has none that can be told.
  func key(_ row: RowChange, isNew: Bool) -> RecordKey? {
    guard let key else { return RecordKey(.integer(isNew ? row.newRow : row.oldRow)) }
    guard let first = key.first, let value = value(first, row, isNew: isNew) else { return nil }
    var rest: [StoredValue] = []
    for column in key.dropFirst() {
      guard let value = self.value(column, row, isNew: isNew) else { return nil }
      rest.append(value)
    }
    return RecordKey(first: value, rest: rest)
  }

  /// The value of a key's column as reading gives it.
  private func value(_ column: Column, _ row: RowChange, isNew: Bool) -> StoredValue? {
    guard let value = unsafe row.value(column.index, isNew: isNew) else { return nil }
    var slot = unsafe SQLiteStatement.slot(of: value)
    if column.isReal, slot.kind == .integer {
      slot = ColumnSlot(.double, Double(slot.integer).bitPattern)
    }
    // Null identifies nothing.
    guard slot.kind != .null else { return nil }
    return slot.kind == column.codec.plainKind ? slot.value : column.codec.other(slot)?.value
  }

  /// The properties whose values differ.
  func changes(_ row: RowChange) -> ChangedProperties {
    var changed = ChangedProperties()
    for column in columns {
      guard let old = unsafe row.value(column.index, isNew: false),
        let new = unsafe row.value(column.index, isNew: true)
      else { return .all }
      if unsafe !isSame(old, new, column) { changed.insert(column.place) }
    }
    return changed
  }

  private func isSame(_ old: OpaquePointer, _ new: OpaquePointer, _ column: Column) -> Bool {
    let slot = unsafe SQLiteStatement.slot(of: new)
    guard unsafe old == missing, column.hasDefault else {
      return unsafe slot.isSame(as: SQLiteStatement.slot(of: old))
    }
    // The row is older than the column. SQLite before 3.44 then gives null instead of the default.
    guard isKuraModel, let initial = column.initial else { return false }
    let value = slot.kind == column.codec.plainKind ? slot : column.codec.other(slot)
    return value?.value == initial
  }
}

extension SQLiteConnection {
  /// The shapes of the file's tables; read again when the schema changed.
  func changeShapes(of wanted: Set<String>?) throws(StoreError) -> ChangeShapes {
    // The schema's cookie, and the number that changes with Kura's record of the schema.
    var version: [Int64] = []
    for pragma in ["PRAGMA schema_version", "PRAGMA user_version"] {
      let statement = try statements.take(pragma)
      defer { statements.put(statement) }
      version.append(try statement.step() ? statement.integer(0) : 0)
    }
    if let shapes = keptShapes, shapes.version == version, shapes.serves(wanted) { return shapes }
    let shapes = try ChangeShapes(self, wanted: wanted, version: version)
    keptShapes = shapes
    return shapes
  }

  /// Has every statement made anew when it is executed the next time, as after any change of an option.
  func expireStatements() {
    for isOn in [true, false] { configure(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, isOn) }
  }
}

extension ChangeShapes {
  /// Whether the shapes have what is asked for.
  func serves(_ models: Set<String>?) -> Bool {
    guard let wanted else { return true }
    guard let models else { return false }
    return models.isSubset(of: wanted)
  }
}
