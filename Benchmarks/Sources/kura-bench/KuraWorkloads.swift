import Kura
import PlainC

/// Kura's side of the workloads that run inside this process.
struct KuraWorkloads {
  let arguments: Arguments
  let folder: String
  let backend = SQLiteBackend()

  static func model() -> ModelDescription {
    ModelDescription(
      "person", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("name", .text),
        PropertyDescription("age", .integer), PropertyDescription("weight", .double),
        PropertyDescription("owner", .integer, isOptional: true),
      ])
  }
  let layout = ModelLayout(KuraWorkloads.model())

  func measure() throws -> [Measurement] {
    let people = folder + "/people.sqlite"
    let ours = folder + "/kura.sqlite"
    let rows = arguments.rows
    let insertRecords = try compare(
      "insert records, one transaction", rounds: max(1, arguments.rounds / 2 + 1),
      plain: {
        removeStore(folder + "/plain.sqlite")
        return plain_insert(folder + "/plain.sqlite", rows)
      },
      kura: {
        removeStore(ours)
        return try self.insertRecords(into: ours)
      })
    let insert = try compare(
      "insert rows through the backend contract", rounds: max(1, arguments.rounds / 2 + 1),
      plain: {
        removeStore(folder + "/plain.sqlite")
        return plain_insert(folder + "/plain.sqlite", rows)
      },
      kura: {
        removeStore(ours)
        return try self.insert(into: ours)
      })
    removeStore(folder + "/plain.sqlite")
    let open = try compare(
      "open to first row", rounds: max(21, arguments.rounds),
      plain: { plain_open(people) }, kura: { try self.open(ours) })
    let store = try Store.open(
      StoreConfiguration(at: .file(ours), schema: schema(), creation: .never))
    defer { try? store.close() }
    return [
      open, insertRecords,
      insert,
      try compare(
        "scan of all rows through the backend contract", rounds: arguments.rounds,
        plain: { plain_scan(people) }, kura: { try scan(ours) }),
      try compare(
        "read all rows as records", rounds: arguments.rounds, target: 2.0,
        plain: { plain_fetch(people) }, kura: { try fetch(store) }),
      try compare(
        "point reads by random key", rounds: arguments.rounds,
        plain: { plain_point_reads(people, rows, arguments.pointReads) },
        kura: { try pointReads(store) }),
    ]
  }

  private func removeStore(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { remove(path + suffix) }
  }

  private func insert(into path: String) throws -> Int64 {
    let engine = try backend.open(.file(path), EngineOptions())
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.apply(.createModel(KuraWorkloads.model()))
    try transaction.setSchema(try Schema(version: 1, [KuraWorkloads.model()]))
    let row = RowBuffer(columns: layout.columns.count)
    var sum: Int64 = 0
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: 17) { name in
      for id in 1...arguments.rows {
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

  private func open(_ path: String) throws -> Int64 {
    let store = try Store.open(
      StoreConfiguration(at: .file(path), schema: schema(), creation: .never))
    let first = try store.read { try $0.first(Query("person")) }
    try store.close()
    return try first?.value("id") ?? -1
  }

  private func sum(of row: RowBuffer) -> Int64 {
    let name = row[1].bytes
    var sum = row[0].integer + row[2].integer + Int64(name.count) + Int64(name.last ?? 0)
    sum += Int64(row[3].double)
    if row[4].kind == .integer { sum += row[4].integer }
    return sum
  }

  private func reading<T>(_ path: String, _ body: (any EngineReadTransaction) throws -> T) throws
    -> T
  {
    let engine = try backend.open(.file(path), EngineOptions(access: .readWrite(create: false)))
    let transaction = try engine.beginRead()
    let result = try body(transaction)
    transaction.end()
    try engine.close()
    return result
  }

  private var everything: BoundQuery {
    BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)])
  }

  private func scan(_ path: String) throws -> Int64 {
    try reading(path) { transaction in
      let cursor = try transaction.cursor(for: everything)
      let row = RowBuffer(columns: layout.columns.count)
      var total: Int64 = 0
      while try cursor.next(into: row) { total += sum(of: row) }
      cursor.close()
      return total
    }
  }

  /// Reads into an array of records that own their values, and only then looks at them, as the C
  /// side does.
  private func fetch(_ store: Store) throws -> Int64 {
    let records = try store.read { try $0.records(Query("person")) }
    return records.reduce(0) { $0 + sum(of: $1.values) }
  }

  private func pointReads(_ store: Store) throws -> Int64 {
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

  /// Writes records through the store's public calls.
  private func insertRecords(into path: String) throws -> Int64 {
    let store = try Store.open(StoreConfiguration(at: .file(path), schema: schema()))
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

  private func schema() throws -> Schema { try Schema(version: 1, [KuraWorkloads.model()]) }

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
