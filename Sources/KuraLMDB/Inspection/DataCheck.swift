import KuraCore

/// Compares indexes with records, and records with what the schema promises, in one snapshot.
final class DataCheck<Snapshot: KeyValueSnapshot> {
  private let snapshot: Snapshot
  private let catalogue: Catalogue
  private let depth: CheckDepth
  private let limits: ExecutionLimits?
  private let progress: ProgressHandler?
  private(set) var report = CheckReport()
  private var done: Int64 = 0
  private var total: Int64 = 0
  private var counts: [String: Int] = [:]

  /// The most findings of one kind; damage repeats itself.
  private let maximumFindings = 100

  init(
    _ snapshot: Snapshot, _ catalogue: Catalogue, _ depth: CheckDepth,
    limits: ExecutionLimits?, progress: ProgressHandler?
  ) {
    self.snapshot = snapshot
    self.catalogue = catalogue
    self.depth = depth
    self.limits = limits
    self.progress = progress
  }

  func run() throws(StoreError) {
    try checkSchema()
    for model in catalogue.orderedModels {
      if let records = try database(model.database, model) {
        total += try snapshot.count(records)
      }
    }
    for model in catalogue.orderedModels {
      do throws(StoreError) {
        try check(model)
      } catch {
        guard error.code.kind == .damaged else { throw error }
        add(.damage, model, error.message)
      }
    }
  }

  /// The recorded schema must be that of the catalogue.
  private func checkSchema() throws(StoreError) {
    guard let reader = try CatalogueReader(snapshot), let schema = try reader.schema() else {
      return
    }
    for model in catalogue.orderedModels {
      let described = model.description { catalogue.models[$0]?.name }
      guard let described else {
        add(.violation, model, "a reference leads to a model that is not there")
        continue
      }
      // Kura's own models, such as the quarantine of migrations, are in no schema.
      if model.name.hasPrefix("kura_") { continue }
      guard let promised = schema.model(named: model.name) else {
        add(.note, model, "the model is not in the recorded schema")
        continue
      }
      guard ModelShape(promised) != ModelShape(described) else { continue }
      add(.violation, model, "the recorded schema describes the model in another way")
    }
    for model in schema.models where catalogue.model(named: model.name) == nil {
      report.findings.append(
        .init(.damage, model: model.name, "the model of the recorded schema is missing"))
    }
  }

  private func database(_ name: String, _ model: CatalogueModel) throws(StoreError)
    -> Snapshot.Database?
  {
    if let database = try snapshot.database(name) { return database }
    add(.damage, model, "the database \"\(name)\" is missing")
    return nil
  }

  // MARK: Records

  private struct Index {
    let model: CatalogueModel.Index
    let database: Snapshot.Database
    let entry: IndexEntry
    let name: String
  }

  private struct Reference {
    let column: Int
    let target: Snapshot.Database?
    let name: String
  }

  private func check(_ model: CatalogueModel) throws(StoreError) {
    guard let records = try database(model.database, model) else { return }
    let binding = try catalogue.whole(model)
    var indexes: [Index] = []
    for index in model.indexes {
      guard let database = try database(LMDBFormat.indexDatabase(index.id), model) else { continue }
      let columns = index.properties.compactMap { binding.column($0) }
      indexes.append(
        Index(
          model: index, database: database, entry: IndexEntry(columns: columns),
          name: columns.map { binding.layout.columns[$0].name }.joined(separator: ", ")))
    }
    let count = try checkRecords(model, binding, records, indexes, try references(model))
    let recorded = try snapshot.count(records)
    if count != recorded {
      add(.damage, model, "the model counts \(recorded) records and has \(count)")
    }
    for index in indexes {
      try checkEntries(index, model, count)
      if index.model.isUnique { try checkUniqueness(index, model, binding, records) }
    }
  }

  private func references(_ model: CatalogueModel) throws(StoreError) -> [Reference] {
    var references: [Reference] = []
    for (column, property) in model.properties.enumerated() {
      guard let reference = property.reference else { continue }
      var target: Snapshot.Database?
      if let other = catalogue.models[reference.model] {
        target = try snapshot.database(other.database)
      }
      references.append(Reference(column: column, target: target, name: property.name))
    }
    return references
  }

  private func checkRecords(
    _ model: CatalogueModel, _ binding: ModelBinding, _ records: Snapshot.Database,
    _ indexes: [Index], _ references: [Reference]
  ) throws(StoreError) -> Int64 {
    let reader = RecordReader(binding, columns: binding.layout.columns.indices)
    let row = RowBuffer(columns: binding.layout.columns.count)
    let key = OrderedKey()
    let cursor = try snapshot.cursor(records)
    defer { cursor.close() }
    var count: Int64 = 0
    var isFound = try cursor.first()
    while isFound {
      try advance()
      count += 1
      do throws(StoreError) {
        unsafe try reader.readWhole(key: cursor.key, value: cursor.value, into: row)
        unsafe try checkRow(row, cursor.key, model, binding, key)
        for index in indexes { unsafe try checkEntry(index, row, cursor.key, model) }
        for reference in references { try check(reference, row, key, model) }
      } catch {
        guard error.code.kind == .damaged else { throw error }
        add(.damage, model, error.message)
      }
      isFound = try cursor.next()
    }
    return count
  }

  private func checkRow(
    _ row: RowBuffer, _ recordKey: UnsafeRawBufferPointer, _ model: CatalogueModel,
    _ binding: ModelBinding, _ key: OrderedKey
  ) throws(StoreError) {
    for column in 0..<binding.forms.count where row[column].kind == .null {
      guard !binding.takesNull[column] else { continue }
      add(.violation, model, "the required property \"\(model.properties[column].name)\" is null")
    }
    key.truncate()
    for column in binding.keyColumns { key.append(row[column]) }
    let isCut = key.cutIfTooLong()
    if unsafe ByteOrder.compare(key.bytes, recordKey) != 0 {
      add(.damage, model, "a record is kept under another key than its own")
    }
    if isCut, !model.cut.contains(model.database) {
      add(.damage, model, "a key was cut, and the catalogue does not say so")
    }
  }

  private func checkEntry(
    _ index: Index, _ row: RowBuffer, _ recordKey: UnsafeRawBufferPointer,
    _ model: CatalogueModel
  ) throws(StoreError) {
    index.entry.begin(row)
    unsafe index.entry.finish(recordKey)
    guard let value = unsafe try snapshot.value(index.entry.key, in: index.database) else {
      return add(.damage, model, "a record is missing in the index on \(index.name)")
    }
    guard unsafe ByteOrder.compare(value, index.entry.value) == 0 else {
      return add(.damage, model, "an entry of the index on \(index.name) is wrong")
    }
    if index.entry.isCut, !model.cut.contains(LMDBFormat.indexDatabase(index.model.id)) {
      add(.damage, model, "an index key was cut, and the catalogue does not say so")
    }
  }

  private func check(
    _ reference: Reference, _ row: RowBuffer, _ key: OrderedKey, _ model: CatalogueModel
  ) throws(StoreError) {
    let slot = row[reference.column]
    guard slot.kind != .null else { return }
    key.truncate()
    key.append(slot)
    _ = key.cutIfTooLong()
    if let target = reference.target, unsafe try snapshot.value(key.bytes, in: target) != nil {
      return
    }
    add(.violation, model, "a reference of \"\(reference.name)\" points at no record")
  }

  // MARK: Entries

  /// Every record has its entry; more entries than records are some of no record.
  private func checkEntries(_ index: Index, _ model: CatalogueModel, _ records: Int64)
    throws(StoreError)
  {
    let entries = try snapshot.count(index.database)
    guard entries != records else { return }
    add(
      .damage, model, "the index on \(index.name) has \(entries) entries for \(records) records")
  }

  private func checkUniqueness(
    _ index: Index, _ model: CatalogueModel, _ binding: ModelBinding,
    _ records: Snapshot.Database
  ) throws(StoreError) {
    let reader = RecordReader(binding, columns: binding.layout.columns.indices)
    let row = RowBuffer(columns: binding.layout.columns.count)
    let previous = OrderedKey()
    let cursor = try snapshot.cursor(index.database)
    defer { cursor.close() }
    var isFound = try cursor.first()
    while isFound {
      try checkLimits()
      guard let recordKey = unsafe IndexEntry.recordKey(cursor.key, cursor.value) else {
        add(.damage, model, "an entry of the index on \(index.name) contradicts itself")
        return
      }
      if let value = unsafe try snapshot.value(recordKey, in: records) {
        unsafe try reader.readWhole(key: recordKey, value: value, into: row)
        index.entry.begin(row)
        if !index.entry.hasNull {
          if previous.count > 0, unsafe ByteOrder.compare(previous.bytes, index.entry.key) == 0 {
            add(.violation, model, "two records have the same value of \(index.name)")
          }
          previous.truncate()
          unsafe previous.append(index.entry.key)
        }
      }
      isFound = try cursor.next()
    }
  }

  // MARK: Findings

  private func add(
    _ severity: CheckReport.Finding.Severity, _ model: CatalogueModel, _ message: String
  ) {
    let count = (counts[model.name + message] ?? 0) + 1
    counts[model.name + message] = count
    if count <= maximumFindings {
      report.findings.append(.init(severity, model: model.name, message))
    } else {
      report.isIncomplete = true
    }
  }

  private func advance() throws(StoreError) {
    done += 1
    guard done % 1024 == 0 else { return }
    try checkLimits()
    try progress?(done, total)
  }

  private func checkLimits() throws(StoreError) {
    if let limits, limits.mustStop() {
      throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
    }
  }
}

/// A model without the order of its declarations.
private struct ModelShape: Equatable {
  private let primaryKey: [String]
  private let properties: Set<PropertyDescription>
  private let indexes: Set<IndexDescription>

  init(_ model: ModelDescription) {
    primaryKey = model.primaryKey
    properties = Set(model.properties)
    indexes = Set(model.indexes)
  }
}
