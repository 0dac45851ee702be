import Testing

@testable import InspectorKit

/// Migrations of SQLite files of other programs, and what other tools recorded in them.
@Suite("Migrations of other programs' files")
struct ForeignMigrationTests {
  private let folder: TemporaryFolder
  private let file: String
  private let migrations: String

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("app.db")
    migrations = try folder.folder("migrations")
    try sqlite(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p INTEGER REFERENCES p ON DELETE CASCADE);
      INSERT INTO p VALUES (1, 'a'), (2, 'b');
      INSERT INTO c VALUES (10, 1), (11, 2);
      CREATE VIEW v AS SELECT name FROM p;
      PRAGMA user_version = 7;
      """)
    try write("0002-rebuild.json", from: 1, to: 2, ForeignMigrationTests.rebuild)
  }

  /// A table made anew in the way of lang_altertable.html, with the view out of the way.
  private static let rebuild = """
    {"op": "removeObject", "kind": "view", "name": "v"},
    {"op": "sql", "sql": "CREATE TABLE n(id INTEGER PRIMARY KEY, name TEXT NOT NULL); \
    INSERT INTO n SELECT * FROM p; DROP TABLE p; ALTER TABLE n RENAME TO p"},
    {"op": "createObject", "object": {"kind": "view", "name": "v", "sql": "CREATE VIEW v AS SELECT name FROM p"}}
    """

  private func write(_ name: String, from: Int, to: Int, _ operations: String, allows: Bool = true)
    throws
  {
    let id = String(name.dropFirst(5).dropLast(5))
    let text = MigrationScene.migration(
      id, from: from, to: to, operations, more: allows ? "\"allowsLoss\": true, " : "")
    try folder.write(Array(text.utf8), to: migrations + "/" + name)
  }

  @discardableResult
  private func sqlite(_ sql: String) throws -> String {
    let run = try ToolRun.program("sqlite3", [file, sql])
    guard run.exitCode == 0 else { throw Failure(call: run.errorText, number: run.exitCode) }
    return run.text
  }

  private func migrate(_ action: String, _ more: String...) throws -> ToolRun {
    try ToolRun.program(
      ToolRun.executablePath, ["migrate", action, file, "--with", migrations] + more)
  }

  @Test("without a baseline a file is refused, with one line that says what to do")
  func withoutBaseline() throws {
    let before = try folder.state()
    for action in ["plan", "run", "rehearse", "verify", "history"] {
      let run = try migrate(action)
      #expect(run.exitCode == 3, "\(action): \(run.errorText)")
      #expect(run.errorText.contains("another program made this file") || action == "history")
    }
    #expect(
      try migrate("run").errorText.contains("migrate baseline PATH --with FOLDER --to N --write"))
    #expect(try migrate("status", "--check").exitCode == 3)
    #expect(try migrate("baseline").exitCode == 2)
    #expect(try migrate("baseline", "--to", "5").errorText.contains("one of 1, 2"))
    #expect(try migrate("baseline", "--to", "1").exitCode == 6)
    #expect(try folder.state() == before)
  }

  @Test("a baseline adds one table, and migrations run with proof and history")
  func run() throws {
    let baseline = try migrate("baseline", "--to", "1", "--write")
    #expect(baseline.exitCode == 0 && baseline.text == "baseline: version 1\n")
    #expect(
      try sqlite("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        == "c\nkura_history\np\n")
    let before = try folder.state()
    #expect(try migrate("status", "--check").exitCode == 1)
    let plan = try migrate("plan")
    #expect(plan.exitCode == 0)
    #expect(plan.lines.contains("  sql: DROP VIEW \"v\"") && plan.lines[0] == "version 1 to 2")
    #expect(try migrate("rehearse").lines.last == "migrated: version 1 to 2")
    #expect(try migrate("run", "--dry-run").exitCode == 0)
    #expect(try folder.state() == before)

    let run = try migrate("run", "--backup", folder.file("before.db"))
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.lines.last == "migrated: version 1 to 2")
    // Dropping the table took no row with it that referred to it.
    #expect(
      try sqlite("SELECT * FROM c; SELECT * FROM p; SELECT * FROM v")
        == "10|1\n11|2\n1|a\n2|b\na\nb\n")
    #expect(
      try sqlite("SELECT \"notnull\" FROM pragma_table_info('p') WHERE name = 'name'") == "1\n")
    // Version and identifier of the file are its maker's.
    #expect(
      try sqlite("PRAGMA user_version; PRAGMA application_id; PRAGMA journal_mode")
        == "7\n0\ndelete\n")
    #expect(
      try sqlite("SELECT id, kind, to_version FROM kura_history")
        == "baseline|baseline|1\nrebuild|apply|2\n")
    #expect(try migrate("status", "--check").exitCode == 0)
    #expect(try migrate("verify").lines == ["ok"])
    #expect(try migrate("history", "-f", "csv").lines.count == 3)
    let old = try ToolRun.program(
      "sqlite3", [folder.file("before.db"), "SELECT count(*) FROM kura_history"])
    #expect(old.text == "1\n")
  }

  @Test("what breaks the rest of the file is rolled back")
  func proof() throws {
    #expect(try migrate("baseline", "--to", "1", "--write").exitCode == 0)
    let dump = try sqlite(".dump")
    for (sql, text) in [
      ("DELETE FROM p", "2 rows of c would refer to rows of p that are not there"),
      (
        "ALTER TABLE p RENAME COLUMN id TO key; DROP VIEW v; CREATE VIEW v AS SELECT nope FROM p",
        "view v"
      ),
      ("UPDATE p SET name = 'x'; SELECT nonsense", "statement 1"),
      ("PRAGMA writable_schema = 1", "not allowed"), ("COMMIT", "belongs to the store"),
    ] {
      try write("0002-rebuild.json", from: 1, to: 2, #"{"op": "sql", "sql": "\#(sql)"}"#)
      let run = try migrate("run")
      #expect(run.exitCode == 8, "\(sql): \(run.errorText)")
      #expect(run.errorText.contains(text), "\(run.errorText)")
      #expect(try sqlite(".dump") == dump, "\(sql)")
      #expect(folder.names == ["app.db", "migrations"])
    }
    try write("0002-rebuild.json", from: 1, to: 2, #"{"op": "removeModel", "model": "p"}"#)
    let unsupported = try migrate("run")
    #expect(unsupported.exitCode == 2 && unsupported.errorText.contains("needs a store of Kura's"))
  }

  @Test("losses have to be allowed, and changes by others are drift until they are accepted")
  func guards() throws {
    #expect(try migrate("baseline", "--to", "1", "--write").exitCode == 0)
    try write("0002-rebuild.json", from: 1, to: 2, ForeignMigrationTests.rebuild, allows: false)
    #expect(try migrate("run").exitCode == 6)
    try sqlite("CREATE TABLE extra(x)")
    #expect(try migrate("status", "--check").exitCode == 8)
    #expect(try migrate("run", "--allow-loss").exitCode == 8)
    #expect(try migrate("verify").exitCode == 1)
    #expect(try migrate("baseline", "--to", "1", "--write").exitCode == 0)
    #expect(try migrate("run", "--allow-loss").exitCode == 0)
    // An edited migration is found.
    try write("0002-rebuild.json", from: 1, to: 2, #"{"op": "sql", "sql": "SELECT 1"}"#)
    let edited = try migrate("status", "--check")
    #expect(edited.exitCode == 8 && edited.text.contains("code: migration.historyMismatch"))
  }

  @Test("a table of that name that is not Kura's is said to be so")
  func otherHistory() throws {
    try sqlite("CREATE TABLE kura_history(a); INSERT INTO kura_history VALUES (1)")
    let before = try folder.state()
    for action in ["status", "plan", "run", "history"] {
      let run = try migrate(action)
      #expect(run.exitCode == 5, "\(action): \(run.errorText)")
      #expect(run.errorText.contains("kura_history is not as Kura makes it"))
    }
    #expect(try folder.state() == before)
  }

  @Test(
    "an edited migration of a Kura store can be accepted",
    arguments: MigrationScene.Backend.allCases)
  func accept(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
    try scene.write(
      "0002-names.json",
      try scene.text("0002-names.json").replacing("\"days\": \"30\"", with: "\"days\": \"31\""))
    #expect(try scene.migrate("status", "--check").exitCode == 8)
    #expect(try scene.migrate("baseline").exitCode == 2)
    #expect(
      try scene.migrate("baseline", "--accept", "name").errorText.contains(
        "did you mean \"names\"?"))
    #expect(try scene.migrate("baseline", "--accept", "names").exitCode == 6)
    #expect(try scene.migrate("baseline", "--accept", "names", "--write").exitCode == 0)
    #expect(try scene.migrate("status", "--check").exitCode == 0)
    #expect(try scene.migrate("verify").lines == ["ok"])
    #expect(
      try scene.migrate("history", "-f", "csv").lines.last?.hasPrefix("3,names,accept,1,2,")
        ?? false)
  }

  /// The tables are as each tool's own source makes them; the rows are made up.
  @Test(
    "the marks of other tools are read",
    arguments: [
      (
        "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('v1'), ('v2')",
        "GRDB (grdb_migrations): 2 recorded, last v2", ""
      ),
      (
        "PRAGMA user_version = 4; CREATE TABLE room_master_table(id INTEGER PRIMARY KEY, identity_hash TEXT); INSERT INTO room_master_table VALUES (42, 'abc')",
        "version 4, identity hash abc", ""
      ),
      (
        "CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB); INSERT INTO Z_METADATA VALUES (1, 'F00', x'00')",
        "Core Data or SwiftData (Z_METADATA): 1 recorded, last store F00", ""
      ),
      (
        "CREATE TABLE django_migrations(id integer PRIMARY KEY AUTOINCREMENT, app varchar(255), name varchar(255), applied datetime); INSERT INTO django_migrations(app, name) VALUES ('auth', '0001_initial'), ('shop', '0002_price'); CREATE TABLE new__shop_item(id)",
        "Django (django_migrations): 2 recorded, last shop.0002_price",
        "\"new__shop_item\" was left by an interrupted migration"
      ),
      (
        "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL PRIMARY KEY); INSERT INTO alembic_version VALUES ('a1'), ('b2'); CREATE TABLE _alembic_tmp_user(id)",
        "Alembic (SQLAlchemy) (alembic_version): 2 recorded, last a1 and b2", "_alembic_tmp_user"
      ),
      (
        "CREATE TABLE __EFMigrationsHistory(MigrationId TEXT PRIMARY KEY, ProductVersion TEXT); INSERT INTO __EFMigrationsHistory VALUES ('20260101_A', '9.0.0'), ('20260202_B', '9.0.0'); CREATE TABLE __EFMigrationsLock(Id INTEGER PRIMARY KEY, Timestamp TEXT); INSERT INTO __EFMigrationsLock VALUES (1, '')",
        "Entity Framework (__EFMigrationsHistory): 2 recorded, last 20260202_B",
        "__EFMigrationsLock says that a migration is running, or one died"
      ),
      (
        "CREATE TABLE flyway_schema_history(installed_rank INT PRIMARY KEY, version VARCHAR(50), description VARCHAR(200), type VARCHAR(20), script TEXT, checksum INT, installed_by TEXT, installed_on TEXT, execution_time INT, success BOOLEAN); INSERT INTO flyway_schema_history(installed_rank, version, description, success) VALUES (1, '1', 'init', 1), (2, '2.1', 'price', 0)",
        "Flyway (flyway_schema_history): 2 recorded, last 2.1 price", "Flyway: a migration failed"
      ),
      (
        "CREATE TABLE _sqlx_migrations(version BIGINT PRIMARY KEY, description TEXT, installed_on TIMESTAMP, success BOOLEAN, checksum BLOB, execution_time BIGINT); INSERT INTO _sqlx_migrations VALUES (20260101, 'init', '', 1, x'00', 1)",
        "sqlx (_sqlx_migrations): 1 recorded, last 20260101 init", ""
      ),
      (
        "CREATE TABLE schema_migrations(version varchar NOT NULL PRIMARY KEY); INSERT INTO schema_migrations VALUES ('20260101000000')",
        "Rails (schema_migrations): 1 recorded, last 20260101000000", ""
      ),
      (
        "CREATE TABLE schema_migrations(version uint64, dirty bool); INSERT INTO schema_migrations VALUES (3, 1)",
        "golang-migrate (schema_migrations): 1 recorded, last 3",
        "the last migration failed (dirty)"
      ),
      (
        "CREATE TABLE knex_migrations(id integer PRIMARY KEY, name varchar(255), batch integer, migration_time datetime); INSERT INTO knex_migrations VALUES (1, 'a.js', 1, 0); CREATE TABLE knex_migrations_lock(\"index\" integer PRIMARY KEY, is_locked integer); INSERT INTO knex_migrations_lock VALUES (1, 1)",
        "Knex (knex_migrations): 1 recorded, last a.js", "knex_migrations_lock"
      ),
      (
        "CREATE TABLE DATABASECHANGELOG(ID VARCHAR(255), AUTHOR VARCHAR(255), FILENAME VARCHAR(255), DATEEXECUTED datetime, ORDEREXECUTED INT, EXECTYPE VARCHAR(10)); INSERT INTO DATABASECHANGELOG VALUES ('2', 'ann', 'f', '', 2, 'EXECUTED'), ('1', 'ann', 'f', '', 1, 'EXECUTED')",
        "Liquibase (DATABASECHANGELOG): 2 recorded, last 2 of ann", ""
      ),
      (
        "CREATE TABLE _prisma_migrations(id TEXT PRIMARY KEY, checksum TEXT, finished_at DATETIME, migration_name TEXT, logs TEXT, rolled_back_at DATETIME, started_at DATETIME, applied_steps_count INTEGER); INSERT INTO _prisma_migrations VALUES ('a', '', NULL, '2026_init', NULL, NULL, 1, 0)",
        "Prisma (_prisma_migrations): 1 recorded, last 2026_init",
        "a migration began and did not finish"
      ),
      (
        "CREATE TABLE __diesel_schema_migrations(version VARCHAR(50) PRIMARY KEY, run_on TIMESTAMP); INSERT INTO __diesel_schema_migrations VALUES ('20260101', '')",
        "Diesel (__diesel_schema_migrations): 1 recorded, last 20260101", ""
      ),
    ])
  func marks(_ sql: String, _ text: String, _ warning: String) throws {
    try sqlite(sql)
    let before = try folder.state()
    let info = try ToolRun.inspect("info", file)
    #expect(
      info.lines.contains { $0.hasPrefix("migrations: ") && $0.contains(text) }, "\(info.text)")
    let status = try ToolRun.inspect("migrate", "status", file)
    #expect(status.exitCode == 0 && status.text.contains(text), "\(status.text)")
    #expect(
      info.errorText.contains(warning) && status.errorText.contains(warning), "\(info.errorText)")
    #expect(warning.isEmpty == !info.errorText.contains("note:"), "\(info.errorText)")
    #expect(!status.text.contains("Rails") || text.hasPrefix("Rails"))
    #expect(try folder.state() == before)
  }

  @Test("tables that only have such a name are no mark, and cost nothing")
  func noMarks() throws {
    try sqlite(
      """
      CREATE TABLE migrations(x); CREATE TABLE django_migrations(y);
      CREATE VIEW grdb_migrations AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS identifier FROM n;
      """)
    let info = try ToolRun.inspect("info", file)
    #expect(info.exitCode == 0 && !info.text.contains("\nmigrations: "), "\(info.text)")
  }
}
