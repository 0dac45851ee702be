import Kura
import PlainC

/// Migrations of a model with all records, proved and recorded, against bare SQL and a bare C loop that
/// do the same to the records and prove nothing.
struct MigrationWorkloads {
  let kura: StoreWorkloads
  let folder: String

  private var isSQLite: Bool { kura.backend.format == .sqlite }
  private var fresh: String { "\(folder)/fresh.\(kura.name)" }
  private var scratch: String { "\(folder)/migrating.\(kura.name)" }

  /// The migrations that are measured, by the words of a child's command line.
  private static let operations: [String: MigrationOperation] = [
    "add": .addProperty(
      model: "person", PropertyDescription("note", .text, defaultValue: .text("none"))),
    "rename": .renameProperty(model: "person", from: "name", to: "title"),
    "remove": .removeProperty(model: "person", "owner"),
    "change": .changeProperty(model: "person", "age", .type(.text)),
  ]

  /// Migrates a store as an app does, without a backup; a child's work when memory is measured.
  static func migrate(_ path: String, _ backend: any StorageBackend, _ name: String) throws -> Int64
  {
    guard let operation = operations[name] else { throw BenchmarkError("no migration \(name)") }
    let first = try Schema(version: 1, [StoreWorkloads.model()])
    let migration = Migration("second", from: 1, to: 2, operations: [operation])
    let report = try Store.migrate(
      StoreConfiguration(
        at: .file(path), schema: try migration.applied(to: first),
        migrations: try Migrations(migration), backup: .none, backends: [backend]))
    return report?.records.first?.work.records ?? -1
  }

  func measure() throws -> [Measurement] {
    removeStore(fresh)
    _ = try kura.insert(rows: kura.arguments.rows, into: fresh)
    defer {
      removeStore(fresh)
      removeStore(scratch)
    }
    // Memory first: a child begins with what its parent has.
    var results = try measureMemory()
    results.append(
      try measure(
        "change a type", target: isSQLite ? 1.5 : nil,
        plain: { isSQLite ? plain_change_type($0) : plain_lmdb_change_type($0) }, "change"))
    if isSQLite {
      results.append(
        try measure(
          "remove a property, SQLite writes the table again", plain: { plain_drop_column($0) },
          "remove"))
    } else {
      results.append(try measureOther())
    }
    for (name, title) in [
      ("add", "add a property"), ("rename", "rename a property"), ("remove", "remove a property"),
    ] where !isSQLite || name != "remove" {
      results.append(try measureConstant(name, title))
    }
    return results
  }

  /// Both sides begin with a copy of the same file.
  private func measure(
    _ title: String, target: Double? = nil, plain: (String) -> Int64, _ name: String
  ) throws -> Measurement {
    var times: (plain: [Double], kura: [Double]) = ([], [])
    for round in 0..<max(3, kura.arguments.rounds / 2) {
      for side in round % 2 == 0 ? [0, 1] : [1, 0] {
        try copy()
        let start = plain_cpu_ms()
        let rows =
          side == 0
          ? plain(scratch) : try MigrationWorkloads.migrate(scratch, kura.backend, name)
        let time = plain_cpu_ms() - start
        guard rows >= 0 else { throw BenchmarkError("\(title): side \(side) says \(rows)") }
        if side == 0 { times.plain.append(time) } else { times.kura.append(time) }
      }
    }
    let result = Measurement(
      name: title, plain: median(times.plain), kura: median(times.kura), target: target,
      unit: "ms CPU")
    progress(result)
    return result
  }

  /// A type change of LMDB against the bare rebuild of SQLite.
  private func measureOther() throws -> Measurement {
    let other = StoreWorkloads(kura.arguments, SQLiteBackend(), folder: folder)
    let file = "\(folder)/other.sqlite"
    _ = try other.insert(rows: kura.arguments.rows, into: file)
    defer { removeStore(file) }
    var times: (plain: [Double], kura: [Double]) = ([], [])
    for _ in 0..<max(3, kura.arguments.rounds / 2) {
      removeStore(scratch)
      guard plain_copy(file, scratch) == 0 else { throw BenchmarkError("cannot copy \(file)") }
      var start = plain_cpu_ms()
      guard plain_change_type(scratch) >= 0 else { throw BenchmarkError("the bare rebuild failed") }
      times.plain.append(plain_cpu_ms() - start)
      try copy()
      start = plain_cpu_ms()
      _ = try MigrationWorkloads.migrate(scratch, kura.backend, "change")
      times.kura.append(plain_cpu_ms() - start)
    }
    let result = Measurement(
      name: "change a type, against the bare rebuild of SQLite", plain: median(times.plain),
      kura: median(times.kura), target: 1.5, unit: "ms CPU")
    progress(result)
    return result
  }

  /// What must not depend on the number of records: the time of the wall, with opening and commit.
  private func measureConstant(_ name: String, _ title: String) throws -> Measurement {
    var times: [Double] = []
    for _ in 0..<max(3, kura.arguments.rounds) {
      try copy()
      let start = plain_now_ms()
      _ = try MigrationWorkloads.migrate(scratch, kura.backend, name)
      times.append(plain_now_ms() - start)
    }
    let result = Measurement(
      name: title, plain: 0, kura: median(times), target: 50, goal: .atMostAbsolute)
    progress(result)
    return result
  }

  private func measureMemory() throws -> [Measurement] {
    var used: [Double] = []
    for side in ["plain", "kura"] {
      try copy()
      let usage = try run(
        [CommandLine.arguments[0], "--migrate", side, kura.name, scratch], output: "/dev/null")
      used.append(usage.resident_mb)
    }
    let result = Measurement(
      name: "change a type, resident", plain: used[0], kura: used[1], target: 64, unit: "MB",
      goal: .atMostAbsolute)
    progress(result)
    return [result]
  }

  private func copy() throws {
    removeStore(scratch)
    guard plain_copy(fresh, scratch) == 0 else { throw BenchmarkError("cannot copy \(fresh)") }
    // Or the first commit would wait for all of the copy.
    sync()
  }

  /// What `--migrate SIDE FORMAT PATH` does.
  static func runChild(_ side: String, _ format: String, _ path: String) throws {
    let isSQLite = format == StoreFormat.sqlite.rawValue
    let backend: any StorageBackend = isSQLite ? SQLiteBackend() : LMDBBackend()
    let rows: Int64 =
      switch side {
      case "plain": isSQLite ? plain_change_type(path) : plain_lmdb_change_type(path)
      default: try migrate(path, backend, "change")
      }
    guard rows > 0 else { throw BenchmarkError("the migration failed") }
  }
}
