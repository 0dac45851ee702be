import Kura
import PlainC

/// Kura's side of the workloads that run inside this process, on either backend.
struct StoreWorkloads {
  let arguments: Arguments
  let backend: any StorageBackend
  /// The backend's library or file format, for names of workloads and files.
  let name: String
  /// The file with the records.
  let file: String

  init(_ arguments: Arguments, _ backend: any StorageBackend, folder: String) {
    self.arguments = arguments
    self.backend = backend
    name = backend.format.rawValue
    file = "\(folder)/kura.\(name)"
  }

  static func model() -> ModelDescription {
    ModelDescription(
      "person", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("name", .text),
        PropertyDescription("age", .integer), PropertyDescription("weight", .double),
        PropertyDescription("owner", .integer, isOptional: true),
      ])
  }
  let layout = ModelLayout(StoreWorkloads.model())

  private func schema() throws -> Schema { try Schema(version: 1, [StoreWorkloads.model()]) }

  func openStore() throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: .file(file), schema: schema(), creation: .never, backends: [backend]))
  }

  func openEngine() throws -> any StorageEngine {
    try backend.open(.file(file), EngineOptions(access: .readWrite(create: false)))
  }

  // MARK: Writing

  /// Makes the file with records that are written row by row through the backend contract.
  func insert() throws -> Int64 {
    try insert(rows: arguments.rows, into: file)
  }

  func insert(rows: Int64, into path: String) throws -> Int64 {
    removeStore(path)
    let engine = try backend.open(.file(path), EngineOptions())
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.apply(.createModel(StoreWorkloads.model()))
    try transaction.setSchema(try schema())
    let row = RowBuffer(columns: layout.columns.count)
    var sum: Int64 = 0
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 17) { name in
      for id in 1...rows {
        row.reset()
        plain_name(id, name.baseAddress)
        row[0] = ColumnSlot(.integer, UInt64(id))
        row.setBytes(UnsafeRawBufferPointer(name), kind: .text, column: 1)
        row[2] = ColumnSlot(.integer, UInt64(plain_age(id)))
        row[3] = ColumnSlot(.double, plain_weight(id).bitPattern)
        let owner = plain_owner(id)
        row[4] = owner == 0 ? ColumnSlot(.null) : ColumnSlot(.integer, UInt64(owner))
        try transaction.write(row, into: layout, mode: .insert)
        sum += id
      }
    }
    try transaction.commit()
    try engine.close()
    return sum
  }

  /// The same through the store's public calls.
  func insertRecords() throws -> Int64 {
    removeStore(file)
    let store = try Store.open(
      StoreConfiguration(at: .file(file), schema: schema(), backends: [backend]))
    let blank = try store.makeRecord("person")
    let sum = try store.write { transaction in
      var sum: Int64 = 0
      for id in 1...arguments.rows {
        var record = blank
        try record.set("id", .integer(id))
        try record.set("name", .text(name(id)))
        try record.set("age", .integer(plain_age(id)))
        try record.set("weight", .double(plain_weight(id)))
        let owner = plain_owner(id)
        if owner != 0 { try record.set("owner", .integer(owner)) }
        try transaction.insert(record)
        sum += id
      }
      return sum
    }
    try store.close()
    return sum
  }

  private func name(_ id: Int64) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 17) { name in
      plain_name(id, name.baseAddress)
      return String(decoding: UnsafeRawBufferPointer(name), as: UTF8.self)
    }
  }

  // MARK: Reading

  /// Opens the file, reads the first record, closes it.
  func open() throws -> Int64 {
    let store = try openStore()
    let first = try store.read { try $0.first(Query("person")) }
    try store.close()
    return try first?.value("id") ?? -1
  }

  /// Reads every column of every row in place.
  func scan(_ engine: any StorageEngine) throws -> Int64 {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let everything = BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)])
    let cursor = try transaction.cursor(for: everything)
    let row = RowBuffer(columns: layout.columns.count)
    var total: Int64 = 0
    while try cursor.next(into: row) { total += sum(of: row) }
    cursor.close()
    return total
  }

  /// Reads into an array of records that own their values, and only then looks at them, as the C
  /// side does.
  func fetch(_ store: Store) throws -> Int64 {
    let records = try store.read { try $0.records(Query("person")) }
    return records.reduce(0) { $0 + sum(of: $1.values) }
  }

  /// Reads records one after the other by random keys.
  func pointReads(_ store: Store) throws -> Int64 {
    try store.read { transaction in
      var total: Int64 = 0
      for step in 0..<arguments.pointReads {
        let key = RecordKey(.integer(plain_random_key(step, arguments.rows)))
        guard let record = try transaction.record("person", key: key) else {
          throw BenchmarkError("a key is missing")
        }
        total += sum(of: record.values)
      }
      return total
    }
  }

  private func sum(of row: RowBuffer) -> Int64 {
    let name = row[1].bytes
    let last = name.isEmpty ? 0 : name[name.count - 1]
    var sum = row[0].integer + row[2].integer + Int64(name.count) + Int64(last)
    sum += Int64(row[3].double)
    let owner = row[4]
    if owner.kind == .integer { sum += owner.integer }
    return sum
  }

  private func sum(of values: Record.Values) -> Int64 {
    values.reduce(0) { total, value in
      switch value {
      case .integer(let value): total + value
      case .double(let value): total + Int64(value)
      case .text(let value): total + Int64(value.utf8.count) + Int64(value.utf8.last ?? 0)
      default: total
      }
    }
  }
}
