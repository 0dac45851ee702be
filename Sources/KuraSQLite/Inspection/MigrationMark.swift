import KuraCore

/// What another tool for migrations wrote into a file about what it did.
struct MigrationMark {
  /// One tool: where it keeps its records and how they are read.
  private struct Tool {
    var name: String
    /// The table, and columns that tell it from tables of the same name.
    var table: String
    var columns: [String] = []
    /// The last thing that was done, as one text; the table's name is not quoted in it.
    var last: String
    /// What is wrong when there is a row: a condition of the table's rows, and what it means.
    var problem: (condition: String, meaning: String)?
    /// A table whose rows say that somebody works, or died at work.
    var lock: (table: String, condition: String)?
    /// How tables begin that the tool leaves when it is interrupted.
    var leftovers: String?
  }

  /// The tool.
  let name: String
  /// The table of its records.
  let table: String
  /// What it recorded, in a few words.
  let text: String
  /// What deserves attention.
  let warnings: [String]

  /// What the tools known here wrote into a file.
  ///
  /// Only ordinary tables are looked at, and of texts only the beginning: the file may be a
  /// stranger's. What is not as the tool makes it is left out.
  static func all(_ connection: SQLiteConnection) -> [MigrationMark] {
    let sql =
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    guard let names = try? connection.texts(sql) else { return [] }
    let tables = Set(names.map { $0.lowercased() })
    var taken: Set<String> = []
    var marks: [MigrationMark] = []
    // The first tool that a table's columns fit has it.
    for tool in tools where tables.contains(tool.table.lowercased()) && !taken.contains(tool.table)
    {
      guard let mark = mark(tool, names, tables, connection) else { continue }
      taken.insert(tool.table)
      marks.append(mark)
    }
    return marks
  }

  private static func mark(
    _ tool: Tool, _ names: [String], _ tables: Set<String>, _ connection: SQLiteConnection
  ) -> MigrationMark? {
    let columns =
      (try? connection.texts("SELECT name FROM pragma_table_info('\(tool.table)')")) ?? []
    let known = Set(columns.map { $0.lowercased() })
    guard tool.columns.allSatisfy(known.contains) else { return nil }
    let count = (try? connection.integer("SELECT count(*) FROM \"\(tool.table)\"")) ?? nil
    guard let count else { return nil }
    var text = "\(tool.name) (\(tool.table)): \(count) recorded"
    if let last = (try? connection.text("SELECT substr(\(tool.last), 1, 200)")) ?? nil,
      !last.isEmpty
    {
      text += ", last \(last)"
    }
    var warnings: [String] = []
    if let (condition, meaning) = tool.problem,
      let row = try? connection.integer(
        "SELECT 1 FROM \"\(tool.table)\" WHERE \(condition) LIMIT 1"),
      row == 1
    {
      warnings.append("\(tool.name): \(meaning)")
    }
    if let (table, condition) = tool.lock, tables.contains(table.lowercased()),
      let row = try? connection.integer("SELECT 1 FROM \"\(table)\" WHERE \(condition) LIMIT 1"),
      row == 1
    {
      warnings.append("\(tool.name): \(table) says that a migration is running, or one died")
    }
    if let beginning = tool.leftovers {
      for name in names.prefix(10_000) where name.lowercased().hasPrefix(beginning) {
        warnings.append("\(tool.name): the table \"\(name)\" was left by an interrupted migration")
        if warnings.count > 20 { break }
      }
    }
    return MigrationMark(name: tool.name, table: tool.table, text: text, warnings: warnings)
  }

  // MARK: The tools

  private static func newest(_ text: String, _ table: String, by order: String) -> String {
    "(SELECT \(text) FROM \"\(table)\" ORDER BY \(order) DESC LIMIT 1)"
  }

  private static func simple(
    _ name: String, _ table: String, _ text: String, by order: String, columns: [String] = [],
    problem: (String, String)? = nil, lock: (String, String)? = nil, leftovers: String? = nil
  ) -> Tool {
    Tool(
      name: name, table: table, columns: columns, last: newest(text, table, by: order),
      problem: problem, lock: lock, leftovers: leftovers)
  }

  /// The tables and columns are those that the tools' own sources create.
  private static var tools: [Tool] {
    [
      simple("GRDB", "grdb_migrations", "identifier", by: "rowid"),
      Tool(
        name: "Room", table: "room_master_table", columns: ["identity_hash"],
        last: "'version ' || (SELECT user_version FROM pragma_user_version) || ', identity hash ' "
          + "|| (SELECT identity_hash FROM room_master_table LIMIT 1)"),
      Tool(
        name: "Core Data or SwiftData", table: "Z_METADATA", columns: ["z_version", "z_uuid"],
        last: "(SELECT 'store ' || Z_UUID FROM Z_METADATA LIMIT 1)"),
      simple(
        "Django", "django_migrations", "app || '.' || name", by: "id", columns: ["app", "name"],
        leftovers: "new__"),
      simple(
        "golang-migrate", "schema_migrations", "version", by: "version", columns: ["dirty"],
        problem: ("dirty", "the last migration failed (dirty)")),
      simple("Ecto", "schema_migrations", "version", by: "version", columns: ["inserted_at"]),
      Tool(
        name: "Alembic (SQLAlchemy)", table: "alembic_version", columns: ["version_num"],
        last: "(SELECT group_concat(version_num, ' and ') FROM alembic_version)",
        leftovers: "_alembic_tmp_"),
      simple(
        "Prisma", "_prisma_migrations", "migration_name", by: "started_at",
        columns: ["migration_name", "finished_at", "started_at", "rolled_back_at"],
        problem: (
          "finished_at IS NULL AND rolled_back_at IS NULL", "a migration began and did not finish"
        )),
      simple(
        "Flyway", "flyway_schema_history", "coalesce(version, 'R') || ' ' || description",
        by: "installed_rank", columns: ["installed_rank", "success"],
        problem: ("success = 0", "a migration failed")),
      simple(
        "Liquibase", "DATABASECHANGELOG", "ID || ' of ' || AUTHOR", by: "ORDEREXECUTED",
        columns: ["orderexecuted"], lock: ("DATABASECHANGELOGLOCK", "LOCKED = 1")),
      simple(
        "sqlx", "_sqlx_migrations", "version || ' ' || description", by: "version",
        columns: ["version", "success"], problem: ("success = 0", "a migration failed")),
      simple(
        "Entity Framework", "__EFMigrationsHistory", "MigrationId", by: "MigrationId",
        columns: ["migrationid"], lock: ("__EFMigrationsLock", "1"), leftovers: "ef_temp_"),
      simple(
        "Knex", "knex_migrations", "name", by: "id", columns: ["batch"],
        lock: ("knex_migrations_lock", "is_locked = 1"), leftovers: "_knex_temp_"),
      simple("Diesel", "__diesel_schema_migrations", "version", by: "version"),
      simple(
        "Refinery", "refinery_schema_history", "version || ' ' || name", by: "version"),
      simple(
        "Drizzle", "__drizzle_migrations", "hash", by: "created_at", leftovers: "__new_"),
      simple("Sequelize", "SequelizeMeta", "name", by: "name"),
      simple("TypeORM", "migrations", "name", by: "timestamp", columns: ["timestamp", "name"]),
      simple("Laravel", "migrations", "migration", by: "id", columns: ["migration", "batch"]),
      simple(
        "goose", "goose_db_version", "version_id", by: "id", columns: ["version_id", "is_applied"]),
      simple("Fluent (Vapor)", "_fluent_migrations", "name", by: "id", columns: ["batch"]),
      simple("Peewee", "migratehistory", "name", by: "id"),
      simple("Phinx", "phinxlog", "version || ' ' || migration_name", by: "version"),
      simple(
        "Atlas", "atlas_schema_revisions", "version || ' ' || description", by: "version",
        columns: ["applied", "total"],
        problem: ("applied < total", "a migration stopped half way")),
      simple(
        "Kysely", "kysely_migration", "name", by: "timestamp",
        lock: ("kysely_migration_lock", "is_locked = 1")),
      simple("MikroORM", "mikro_orm_migrations", "name", by: "id"),
      simple("Cloudflare D1", "d1_migrations", "name", by: "id"),
      simple("Aerich (Tortoise)", "aerich", "app || '.' || version", by: "id", columns: ["app"]),
      simple("yoyo", "_yoyo_migration", "migration_id", by: "applied_at_utc"),
      // The table of those above without their columns.
      simple("Rails", "schema_migrations", "version", by: "version"),
    ]
  }
}
