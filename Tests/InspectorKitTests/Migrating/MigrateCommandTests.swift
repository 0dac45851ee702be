import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `migrate` on the frozen stores of `Fixtures/migrations`.
///
/// The expected records are those of the dumps there, which people wrote down.
@Suite("migrate")
struct MigrateCommandTests {
  /// The records of version 3, from `v1-v3.dump`.
  static let readers = [
    #"{"id":1,"years":36,"photo":{"$base64":true,"encoded":"AP8H"},"first":"Ada","last":"Lovelace","home":1}"#,
    #"{"id":2,"years":77,"photo":null,"first":"村上","last":"春樹","home":null}"#,
    #"{"id":4,"years":null,"photo":null,"first":"Jean","last":"Paul Richter","home":4}"#,
  ]

  @Test(
    "status tells by its exit code where a store stands", arguments: MigrationScene.Backend.allCases
  )
  func status(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let before = try scene.folder.state()
    let pending = try scene.migrate("status", "--check", "-f", "json")
    #expect(pending.exitCode == 1, "\(pending.errorText)")
    #expect(pending.text.contains(#""schemaVersion":1,"#))
    #expect(
      pending.text.contains(#""state":"pending","targetVersion":3,"pending":["names","readers"]"#))
    // Without --check the question was answered, whatever the answer.
    #expect(try scene.migrate("status").exitCode == 0)
    #expect(try scene.folder.state() == before)

    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
    let current = try scene.migrate("status", "--check")
    #expect(current.exitCode == 0)
    #expect(current.lines.contains("state: current") && current.lines.contains("history: 2"))
    unlink(scene.migrations + "/0003-readers.json")
    let newer = try scene.migrate("status", "--check")
    #expect(newer.exitCode == 8 && newer.lines.contains("state: newer"))
    #expect(try scene.migrate("run").exitCode == 8)
  }

  @Test("a plan has steps, records, SQL, losses and what would allow them")
  func plan() throws {
    let scene = try MigrationScene()
    let before = try scene.folder.state()
    let plan = try scene.migrate("plan")
    #expect(plan.exitCode == 0, "\(plan.errorText)")
    for line in [
      "version 1 to 3", "names: version 1 to 2 (\(scene.migrations)/0002-names.json)",
      "  1. split property Person.name into first, last [writes 4 records again]",
      "  3. add index (last, first) of Person [reads 4 records]",
      #"  sql: CREATE INDEX "kura_index_Person_last_first" ON "Person" ("last", "first");"#,
      "     loses the values of Loan.note", #"  sql: ALTER TABLE "Loan" DROP COLUMN "note";"#,
      "to allow what readers loses, write \"allowsLoss\": true, in "
        + "\(scene.migrations)/0003-readers.json",
    ] {
      #expect(plan.lines.contains(line), "\(line)\n\(plan.text)")
    }
    #expect(!plan.text.contains("what names loses"))
    #expect(plan.lines.last?.hasPrefix("space: ") ?? false)
    let json = try scene.migrate("plan", "-f", "json", "--to", "2")
    #expect(json.text.contains(#""from":1,"#) && json.text.contains(#""to":2,"#))
    #expect(json.text.contains(#""lossesNotAllowed":[]"#))
    #expect(json.lines.count == 1)
    #expect(try scene.folder.state() == before)
  }

  @Test("the SQL of a plan is what an empty store executes, with views, triggers and text search")
  func planSQL() throws {
    let scene = try MigrationScene(isEmpty: true)
    _ = try scene.sqlite(
      """
      CREATE VIEW adults AS SELECT name FROM Person WHERE age > '18';
      CREATE TRIGGER seen AFTER INSERT ON Loan BEGIN UPDATE Person SET city = city; END;
      CREATE VIRTUAL TABLE words USING fts5(name);
      """)
    try scene.write(
      "0002-x.json",
      MigrationScene.migration(
        "x",
        #"{"op": "removeProperty", "model": "Person", "property": "photo"},"#
          + #"{"op": "removeObject", "kind": "view", "name": "adults"},"#
          + #"{"op": "insert", "model": "Person", "records": [{"name": {"text": "Y"}}]},"#
          + #"{"op": "assert", "assertion": {"model": "Person", "count": true, "atLeast": 5}}"#))
    let before = try scene.folder.state()
    let plan = try scene.migrate("plan")
    #expect(plan.error.isEmpty, "\(plan.errorText)")
    #expect(
      plan.lines.filter { $0.hasPrefix("  sql: ") }
        == [#"  sql: ALTER TABLE "Person" DROP COLUMN "photo";"#, #"  sql: DROP VIEW "adults";"#])
    #expect(try scene.folder.state() == before)
  }

  @Test("what is lost must be allowed", arguments: MigrationScene.Backend.allCases)
  func losses(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let before = try scene.folder.state()
    let refused = try scene.migrate("run")
    #expect(refused.exitCode == 6)
    #expect(refused.errorText.contains("migration \"readers\" loses the values of Loan.note"))
    #expect(refused.errorText.contains("hint: write \"allowsLoss\": true, in the file"))
    #expect(try scene.folder.state() == before)
    try scene.write(
      "0003-readers.json",
      try scene.text("0003-readers.json").replacing(
        "\"id\": \"readers\",", with: "\"id\": \"readers\", \"allowsLoss\": true,"))
    #expect(try scene.migrate("run").exitCode == 0)
    #expect(try scene.records("Reader") == MigrateCommandTests.readers)
    // The consent is no part of what was done.
    try scene.write(
      "0003-readers.json",
      try scene.text("0003-readers.json").replacing("\"allowsLoss\": true,", with: ""))
    #expect(try scene.migrate("status", "--check").exitCode == 0)
  }

  @Test(
    "run migrates, says what it did and keeps a copy", arguments: MigrationScene.Backend.allCases)
  func run(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let copy = scene.folder.file("before")
    let run = try scene.migrate("run", "--allow-loss", "--backup", copy)
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.error.isEmpty)
    #expect(run.lines.contains("running: names: split property Person.name into first, last"))
    #expect(run.lines.suffix(2) == ["backup: \(copy)", "migrated: version 1 to 3"])
    #expect(try scene.records("Reader") == MigrateCommandTests.readers)
    #expect(
      try scene.records("Address") == [
        #"{"id":1,"street":"St James's Square","city":"London"}"#,
        #"{"id":4,"street":null,"city":"Bayreuth"}"#,
      ])
    #expect(
      try scene.records("Loan") == [
        #"{"reader":1,"book":"a","days":14,"since":null,"fee":3.5}"#,
        #"{"reader":2,"book":"b","days":30,"since":"2023-11-14 22:13:20.000000005","fee":7.5}"#,
      ])
    let old = try ToolRun.inspect("query", copy, "Person", "--format", "ndjson")
    #expect(old.lines.count == 4 && old.text.contains("\"name\":\"Plato\""))
    let history = try scene.migrate("history", "-f", "csv")
    #expect(history.lines.count == 3)
    #expect(history.lines[1].hasPrefix("1,names,apply,1,2,"))
    #expect(history.lines[2].hasPrefix("2,readers,apply,2,3,"))
    #expect(try scene.migrate("verify", "--deep").lines == ["ok"])
    // There is nothing left to do, and nothing is done.
    let again = try scene.migrate("run", "--allow-loss", "--backup", scene.folder.file("other"))
    #expect(again.text == "nothing to do: the file has version 3\n")
    #expect(!scene.folder.names.contains("other"))
  }

  @Test("stock sqlite3 finds a migrated store whole")
  func stock() throws {
    let scene = try MigrationScene()
    #expect(try scene.migrate("run", "--allow-loss", "--no-backup").exitCode == 0)
    #expect(
      try scene.sqlite("SELECT id, first, last, years, home FROM Reader ORDER BY id")
        == "1|Ada|Lovelace|36|1\n2|村上|春樹|77|\n4|Jean|Paul Richter||4\n")
    #expect(
      try scene.sqlite("SELECT reader, days, fee FROM Loan ORDER BY reader")
        == "1|14|3.5\n2|30|7.5\n")
    #expect(try scene.sqlite("PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok\n")
    #expect(try scene.sqlite("PRAGMA user_version") == "3\n")
    #expect(scene.folder.names == ["app.sqlite", "migrations"])
  }

  @Test("a run stops at a version, and goes on from there")
  func stopping() throws {
    let scene = try MigrationScene()
    #expect(try scene.migrate("run", "--to", "2").exitCode == 0)
    #expect(try scene.sqlite("PRAGMA user_version") == "2\n")
    let wrong = try scene.migrate("run", "--to", "4")
    #expect(wrong.exitCode == 2 && wrong.errorText.contains("one of 2, 3"))
    #expect(try scene.migrate("run", "--to", "1").exitCode == 2)
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
    #expect(try scene.records("Reader") == MigrateCommandTests.readers)
  }

  @Test("a dry run changes nothing", arguments: MigrationScene.Backend.allCases)
  func dryRun(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let before = try scene.folder.state()
    let run = try scene.migrate("run", "--dry-run", "--allow-loss")
    #expect(run.exitCode == 0)
    #expect(run.lines.first == "version 1 to 3")
    #expect(run.errorText.contains("nothing was changed"))
    #expect(try scene.folder.state() == before)
  }

  @Test("a migration that fails is rolled back, with 8", arguments: MigrationScene.Backend.allCases)
  func failure(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend, isEmpty: true)
    let records = try scene.records("Person")
    for operation in [
      // ' 077 ' is no exact integer, two names are in no city, and nobody is called X.
      #"{"op": "changeProperty", "model": "Person", "property": "age", "change": {"type": "integer"}}"#,
      #"{"op": "changeProperty", "model": "Person", "property": "city", "change": {"optional": false}}"#,
      #"{"op": "assert", "assertion": {"model": "Person", "count": true, "where": "name == 'X'", "atLeast": 1}}"#,
    ] {
      try scene.write("0002-x.json", MigrationScene.migration("x", operation))
      let run = try scene.migrate("run", "--no-backup")
      #expect(run.exitCode == 8, "\(operation): \(run.errorText)")
      #expect(run.errorText.contains("note: the store is as it was"))
      #expect(try scene.records("Person") == records)
      #expect(try scene.migrate("status", "--check").exitCode == 1)
    }
  }

  @Test("a store that another process writes is busy, with 4")
  func busy() throws {
    let scene = try MigrationScene()
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute('begin immediate')
      db.execute("update Person set city = 'Y'")
      print('ready', flush=True)
      sys.stdin.read()
      db.execute('rollback')
      """
    let (input, output) = (try OpenFiles.pipe(), try OpenFiles.pipe())
    let writer = try Child.start(
      "python3", ["-c", script, scene.store], files: [input.read, output.write, 2])
    OpenFiles.close(input.read, output.write)
    #expect(OpenFiles.byte(from: output.read) != nil)
    let run = try scene.migrate("run", "--allow-loss")
    #expect(run.exitCode == 4, "\(run.errorText)")
    #expect(run.errorText.contains("locked"))
    OpenFiles.close(input.write, output.read)
    #expect(writer.wait() == 0)
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
  }

  @Test("programs read progress and result as NDJSON")
  func events() throws {
    let scene = try MigrationScene()
    let run = try scene.migrate("run", "--allow-loss", "-f", "ndjson")
    #expect(run.exitCode == 0)
    #expect(
      run.lines.contains {
        $0.hasPrefix(
          #"{"event":"progress","phase":"running","migration":"names","operation":"split property"#)
      })
    #expect(run.lines.last?.hasPrefix(#"{"event":"done","report":{"#) ?? false)
    #expect(run.lines.dropLast().allSatisfy { $0.hasPrefix(#"{"event":"progress","#) })
  }

  @Test("Control-C ends a migration with 130 and leaves the old data")
  func interrupt() throws {
    let scene = try MigrationScene()
    _ = try scene.sqlite(
      """
      WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO Person(id, name) SELECT i, 'A B' FROM n;
      """)
    let before = try scene.sqlite("SELECT count(*), sum(id) FROM Person")
    let ends = try OpenFiles.pipe()
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { OpenFiles.close(input, error) }
    let tool = try Child.start(
      ToolRun.executablePath,
      [
        "migrate", "run", scene.store, "--with", scene.migrations, "--allow-loss", "--no-backup",
        "-f", "ndjson",
      ], files: [input, ends.write, error])
    OpenFiles.close(ends.write)
    // Up to the first event that names an operation: records are being written.
    var text = ""
    while !text.contains("operation"), let byte = OpenFiles.byte(from: ends.read) {
      text.unicodeScalars.append(Unicode.Scalar(byte))
    }
    kill(tool.process, SIGINT)
    while OpenFiles.byte(from: ends.read) != nil {}
    OpenFiles.close(ends.read)
    #expect(tool.wait() == 130)
    #expect(try scene.sqlite("SELECT count(*), sum(id) FROM Person") == before)
    #expect(try scene.sqlite("PRAGMA user_version; PRAGMA integrity_check") == "1\nok\n")
    #expect(try scene.migrate("status", "--check").exitCode == 1)
  }

  @Test("a person at a terminal sees rate and estimate, and nothing of them remains")
  func terminal() throws {
    let scene = try MigrationScene()
    _ = try scene.sqlite(
      """
      WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO Person(id, name) SELECT i, 'A B' FROM n;
      """)
    let run = try PseudoTerminal(columns: 100).inspect(
      ["migrate", "run", scene.store, "--with", scene.migrations, "--to", "2"], errorToo: true)
    #expect(run.exitCode == 0)
    #expect(run.text.contains("records/s") && run.text.contains(" left"))
    #expect(run.text.contains("\r\u{1B}[K"))
    #expect(run.text.hasSuffix("migrated: version 1 to 2\n"))
  }

  @Test("what cannot be migrated is refused with what it is")
  func refusals() throws {
    let scene = try MigrationScene()
    for (words, code, text) in [
      (["run", scene.store], Int32(2), "--with FOLDER"),
      (["plan", scene.store], 2, "--with FOLDER"),
      (["run", "-", "--with", scene.migrations], 2, "- is none"),
      (["walk", scene.store], 2, "one of status"),
      (["run", scene.store, "--with", scene.folder.file("none")], 3, "none"),
      (["run", scene.folder.file("none"), "--with", scene.migrations], 3, "none"),
      (
        ["run", try scene.folder.add("made-by-django.sqlite"), "--with", scene.migrations], 3,
        "Django"
      ),
      (["run", try scene.folder.add("flat.mdb"), "--with", scene.migrations], 3, "LMDB"),
      (["run", scene.store, "--with", scene.migrations, "--backup", scene.store], 6, "exists"),
      (
        ["run", scene.store, "--with", scene.migrations, "--backup", "x", "--no-backup"], 2,
        "exclude"
      ),
    ] {
      let before = try scene.folder.state()
      let run = try ToolRun.program(ToolRun.executablePath, ["migrate"] + words)
      #expect(run.exitCode == code, "\(words): \(run.errorText)")
      #expect(run.errorText.contains(text), "\(run.errorText)")
      #expect(run.output.isEmpty)
      #expect(try scene.folder.state() == before)
    }
    let foreign = try ToolRun.inspect(
      "migrate", "status", scene.folder.file("made-by-django.sqlite"), "--check")
    #expect(foreign.exitCode == 3 && foreign.lines.contains("state: foreign"))
  }
}
