import Kura

/// The store that `store-hammer` migrates: made with a number of records, so that whoever looks at it
/// later knows each record of the old and of the new version.
struct Migrating {
  let path: String
  let format: StoreFormat
  /// How many records there are.
  let count: Int64
  /// Whether the migration copies the store before it begins.
  var backup = BackupPolicy.none

  /// What a store turned out to be.
  enum State: Equatable {
    case old
    case new
    /// Neither; the text says what.
    case torn(String)
  }

  /// The schema of version 1.
  private static func first() throws(StoreError) -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Item", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("count", .integer),
            PropertyDescription("name", .text),
          ], indexes: [IndexDescription(["name"])])
      ])
  }

  /// The way to version 2: every record is written again, twice.
  private static let migration = Migration("second", from: 1, to: 2) {
    MigrationOperation.changeProperty(model: "Item", "count", .type(.text))
    MigrationOperation.transform(model: "Item", where: "id > 10", set: ["name": "count"])
  }

  private func configuration(_ schema: Schema, _ migrations: Migrations = .none)
    -> StoreConfiguration
  {
    StoreConfiguration(
      at: .file(path), schema: schema, migrations: migrations, whenMigrationIsNeeded: .migrate,
      backup: backup, busyTimeout: .seconds(60), format: format)
  }

  private func second() throws(StoreError) -> StoreConfiguration {
    configuration(
      try Migrating.migration.applied(to: Migrating.first()), try Migrations(Migrating.migration))
  }

  /// Makes the store of version 1.
  func make() throws {
    let store = try Store.open(configuration(try Migrating.first()))
    try store.write { transaction in
      for number in 0..<count {
        try transaction.insert(
          "Item",
          [
            "id": .integer(number + 1), "count": .integer((number + 1) * 3),
            "name": .text("n\(number + 1)"),
          ])
      }
    }
    try store.close()
  }

  /// Migrates the store, if nobody did.
  ///
  /// - Returns: Whether it was migrated here.
  func migrate() throws -> Bool { try Store.migrate(try second()) != nil }

  /// Opens the migrated store and closes it.
  func open() throws { try Store.open(try second()).close() }

  /// Looks at the store without changing it; every record of it counts.
  func state() throws -> State {
    switch try Store.inspect(try second()) {
    case .pending:
      var old = configuration(try Migrating.first())
      old.access = .readOnly
      let records = try read(old)
      let isWhole =
        records == (0..<count).map { "\($0 + 1) integer(\(($0 + 1) * 3)) n\($0 + 1)" }
      return isWhole ? .old : .torn("version 1 of \(records.count) records")
    case .current:
      var new = try second()
      new.access = .readOnly
      let records = try read(new, history: 1)
      let isWhole =
        records
        == (1...max(1, count)).prefix(Int(count)).map { id in
          "\(id) text(\"\(id * 3)\") " + (id > 10 ? "\(id * 3)" : "n\(id)")
        }
      return isWhole ? .new : .torn("version 2 of \(records.count) records")
    case let state: return .torn("\(state)")
    }
  }

  private func read(_ configuration: StoreConfiguration, history: Int = 0) throws -> [String] {
    let store = try Store.open(configuration)
    defer { try? store.close() }
    guard try store.history().records.count == history else { return ["another history"] }
    return try store.read { transaction in
      try transaction.records(Query("Item", order: [SortTerm("id")])).map { record in
        guard case .integer(let id)? = record["id"], let count = record["count"],
          case .text(let name)? = record["name"]
        else { return "a record of other types" }
        return "\(id) \(count) \(name)"
      }
    }
  }

  /// What a deep check finds.
  func findings() throws -> [String] {
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    defer { try? engine.close() }
    return try engine.check(.deep, progress: nil).findings.map(\.message)
  }
}
