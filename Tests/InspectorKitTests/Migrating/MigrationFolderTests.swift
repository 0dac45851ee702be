import KuraCore
import Testing

@testable import InspectorKit

/// Folders of migrations: names, order, mistakes, and files that were edited after they had run.
@Suite("Folders of migrations")
struct MigrationFolderTests {
  private static let add =
    #"{"op": "addProperty", "model": "Person", "property": {"name": "n", "type": "integer", "optional": true}}"#

  @Test("the order is that of the versions, and other files are left alone")
  func order() throws {
    let scene = try MigrationScene(isEmpty: true)
    try scene.write("10_c.json", MigrationScene.migration("c", from: 9, to: 10, ""))
    try scene.write("9-b.json5", MigrationScene.migration("b", from: 2, to: 9, ""))
    try scene.write("0002-a.json", "\u{FEFF}" + MigrationScene.migration("a", Self.add))
    try scene.write("README.md", "not a migration")
    try scene.write(".0003-draft.json", "{")
    let folder = try MigrationFolder(scene.migrations)
    #expect(folder.files.map(\.migration.id) == ["a", "b", "c"])
    #expect(try scene.migrate("run").exitCode == 0)
    #expect(try scene.sqlite("SELECT n FROM Person WHERE id = 1") == "\n")
    #expect(try scene.sqlite("PRAGMA user_version") == "10\n")
  }

  @Test("mistakes in the folder name the file and what to do, and nothing is changed")
  func mistakes() throws {
    for (name, content, text) in [
      ("0002-x.json", "{\n  \"format\": 1,\n  ]\n", "line 3, column 3"),
      (
        "0002-x.json", MigrationScene.migration("x", #"{"op": "addPropertee"}"#),
        "did you mean \"addProperty\""
      ),
      ("0002-x.json", MigrationScene.migration("x", "", more: #""sumary": "", "#), "sumary"),
      (
        "0002-x.json", MigrationScene.migration("x", "").replacing("1, \"id", with: "2, \"id"),
        "newer form"
      ),
      ("x.json", MigrationScene.migration("x", ""), "0002-x.json"),
      ("0003-x.json", MigrationScene.migration("x", ""), "version 3 in the name"),
      (
        "0004-x.json", MigrationScene.migration("x", from: 3, to: 4, ""), "the migration in between"
      ),
      ("0002-b.json", MigrationScene.migration("b", ""), "both begin with version 1"),
      (
        "0003-a.json", MigrationScene.migration("a", from: 2, to: 3, ""),
        "two migrations have the id \"a\""
      ),
      ("0001-x.json", MigrationScene.migration("x", from: 1, to: 1, ""), "later version"),
    ] {
      let scene = try MigrationScene(isEmpty: true)
      try scene.write("0002-a.json", MigrationScene.migration("a", Self.add))
      try scene.write(name, content)
      let before = try scene.folder.state()
      for action in ["status", "plan", "run", "verify"] {
        let run = try scene.migrate(action)
        #expect(run.exitCode == (text == "newer form" ? 3 : 2), "\(name): \(run.errorText)")
        #expect(run.errorText.contains(text), "\(run.errorText)")
        #expect(run.errorText.contains(scene.migrations), "\(run.errorText)")
      }
      #expect(try scene.folder.state() == before)
    }
  }

  @Test("stores, folders and backups may have names of any bytes")
  func names() throws {
    let scene = try MigrationScene()
    // The shell makes and passes a byte that is no UTF-8.
    let script = """
      cd "$1" && store=$(printf 'a\\377.db') && with=$(printf 'm\\376')
      mv app.sqlite "$store" && mv migrations "$with"
      "$2" migrate run "$store" --with "$with" --allow-loss --backup "$store.old" | tail -1
      "$2" migrate status "./$store" --with "$with" --check > /dev/null; echo $?
      sqlite3 "$store" 'select count(*) from Reader'; test -s "$store.old" && echo kept
      mv "$with" migrations
      """
    let run = try ToolRun.program(
      "/bin/sh", ["-c", script, "sh", scene.folder.path, ToolRun.executablePath])
    #expect(run.text == "migrated: version 1 to 3\n0\n3\nkept\n", "\(run.errorText)")
    let rest = try ToolRun.program("/bin/sh", ["-c", "rm -f \(scene.folder.path)/a*"])
    #expect(rest.exitCode == 0)
  }

  @Test(
    "a fault of the JSON has its line and column",
    arguments: [
      ("{\n  \"format\": 1,\n  ]", 3, 3), ("{\n \"a\": 1 \"b\": 2}", 2, 9), ("", 1, 1),
      ("{\"ä\": 'x}", 1, 7), ("{\"a\": 1", 1, 8), ("{} x", 1, 4), ("{\"a\" 1}", 1, 6),
      ("// c\n/* d", 2, 1), ("[1, , 2]", 1, 5), ("{\"a\": [1, 2}}", 1, 12),
      ("{\"a\": \"b\nc\"}", 1, 7), ("[\"\\", 1, 2),
    ])
  func fault(_ text: String, _ line: Int, _ column: Int) throws {
    let found = try #require(JSONFault.position(in: text))
    #expect(found.line == line && found.column == column, "\(found)")
    #expect(throws: StoreError.self) { () throws in try Migration(json: text) }
  }

  @Test(
    "what the decoder reads has no fault",
    arguments: [
      "\u{FEFF}{'a': [1, -2.5e3, +.5, NaN,], /* c */ b: \"\\\"\", // d\n}", "[]", "{}",
      " [[], {}, [{}], true, null ] ", #"{"a": {"b": "}"}, "c": ['"']}"#,
    ])
  func noFault(_ text: String) { #expect(JSONFault.position(in: text) == nil) }

  @Test("deep nesting is read in a list")
  func deep() throws {
    let found = try #require(JSONFault.position(in: String(repeating: "[", count: 1_000_000)))
    #expect(found.column == 1_000_001)
  }

  @Test("a plain value says how values are written")
  func plainValue() throws {
    let scene = try MigrationScene(isEmpty: true)
    try scene.write(
      "0002-a.json",
      MigrationScene.migration(
        "a", Self.add.replacing("\"optional\": true", with: "\"default\": 42")))
    let run = try scene.migrate("plan")
    #expect(run.exitCode == 2)
    #expect(run.errorText.contains(#"{"integer": "42"}"#))
    #expect(run.errorText.contains("operations.[0].property.default"))
  }

  @Test(
    "formatting of a migration that has run may change, what it does may not",
    arguments: MigrationScene.Backend.allCases)
  func edited(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
    let text = try scene.text("0002-names.json")
    try scene.write(
      "0002-names.json", "\u{FEFF}" + text.replacing("\n", with: "\r\n   // again\r\n"))
    #expect(try scene.migrate("status", "--check").exitCode == 0)
    #expect(try scene.migrate("verify").lines == ["ok"])

    try scene.write("0002-names.json", text.replacing("\"days\": \"30\"", with: "\"days\": \"31\""))
    let before = try scene.folder.state()
    let status = try scene.migrate("status", "--check", "-f", "json")
    #expect(status.exitCode == 8)
    #expect(status.text.contains(#""problemCode":"migration.historyMismatch""#))
    #expect(status.text.contains("set days = 31 of Loan"))
    let verify = try scene.migrate("verify")
    #expect(verify.exitCode == 1 && verify.lines.count == 1, "\(verify.text)")
    #expect(verify.text.contains("migration \"names\" is not the one that the store went through"))
    #expect(try scene.migrate("run").exitCode == 8)
    #expect(try scene.folder.state() == before)
  }

  @Test("a migration that has run and is gone is found")
  func gone() throws {
    let scene = try MigrationScene()
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 0)
    let folder = try MigrationScene(isEmpty: true)
    try folder.write("0003-readers.json", try scene.text("0003-readers.json"))
    let run = try ToolRun.inspect("migrate", "verify", scene.store, "--with", folder.migrations)
    #expect(run.exitCode == 1)
    #expect(run.text.contains("migration \"names\" was carried out on "))
    #expect(!run.text.contains("\"readers\""))
  }

  @Test("changes behind the store's back are drift")
  func drift() throws {
    let scene = try MigrationScene()
    _ = try scene.sqlite("ALTER TABLE Person ADD COLUMN extra TEXT")
    let before = try scene.folder.state()
    let status = try scene.migrate("status", "--check")
    #expect(status.exitCode == 8 && status.lines.contains("state: drifted"))
    #expect(status.text.contains("a property Person.extra"))
    #expect(try scene.migrate("run", "--allow-loss").exitCode == 8)
    let verify = try scene.migrate("verify")
    #expect(verify.exitCode == 1 && verify.text.contains("a property Person.extra"))
    #expect(try scene.folder.state() == before)
  }

  @Test("a snapshot says what the store is to be, and additions to it are inferred")
  func snapshots() throws {
    let scene = try MigrationScene(isEmpty: true)
    try scene.write("0002-a.json", MigrationScene.migration("a", Self.add))
    _ = try scene.folder.folder("migrations/schemas")
    let old = try scene.sqlite("SELECT json FROM kura_schema")
    try scene.write("schemas/1.json", old)
    let third = old.replacing(
      #"{"name":"id","type":"integer"}"#,
      with: #"{"name":"id","type":"integer"},{"name":"n","optional":true,"type":"integer"},"#
        + #"{"name":"m","optional":true,"type":"text"}"#
    ).replacing(#""version":1"#, with: #""version":3"#)
    try scene.write("schemas/3.json", third)
    let plan = try scene.migrate("plan")
    #expect(
      plan.lines.contains("inferred-2-3: version 2 to 3 (inferred from the snapshot)"),
      "\(plan.errorText)")
    #expect(plan.lines.contains("  1. add property Person.m: text?"), "\(plan.text)")
    #expect(try scene.migrate("run").exitCode == 0)
    #expect(try scene.sqlite("SELECT m, n FROM Person WHERE id = 1") == "|\n")
    #expect(try scene.migrate("verify").lines == ["ok"])
    try scene.write("schemas/3.json", third.replacing(#""name":"m""#, with: #""name":"q""#))
    let verify = try scene.migrate("verify")
    #expect(verify.exitCode == 1 && verify.text.contains("differs from schemas/3.json"))
    #expect(try scene.migrate("status", "--check").exitCode == 8)
    try scene.write("schemas/4.json", third)
    #expect(try scene.migrate("status").errorText.contains("3.json"))
  }
}
