import Kura

/// What `store-hammer FORMAT PATH migrate SEED` does: it opens a store of version 1 as one of version 2.
enum Migrating {
  /// The schema of version 1.
  static func first() throws(StoreError) -> Schema {
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
  static let migration = Migration("second", from: 1, to: 2) {
    MigrationOperation.changeProperty(model: "Item", "count", .type(.text))
    MigrationOperation.transform(model: "Item", where: "id > 10", set: ["name": "count"])
  }

  static func configuration(_ path: String, _ format: StoreFormat) throws(StoreError)
    -> StoreConfiguration
  {
    StoreConfiguration(
      at: .file(path), schema: try migration.applied(to: first()),
      migrations: try Migrations(migration), backup: .none, busyTimeout: .seconds(60),
      format: format)
  }

  /// Opens the store and says what it was.
  static func run(_ path: String, _ format: StoreFormat) throws -> String {
    let store = try Store.open(try configuration(path, format))
    defer { try? store.close() }
    return "migrated \(try store.history().records.count)"
  }
}
