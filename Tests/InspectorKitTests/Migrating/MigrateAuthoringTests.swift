import Testing

@testable import InspectorKit

/// `migrate new`, `lint` and `rehearse`.
@Suite("Writing migrations")
struct MigrateAuthoringTests {
  private func inspect(_ words: String...) throws -> ToolRun {
    try ToolRun.program(ToolRun.executablePath, words)
  }

  // MARK: new

  @Test(
    "a migration is made of two snapshots, and runs", arguments: MigrationScene.Backend.allCases)
  func new(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend, isEmpty: true)
    let old = scene.folder.file("old.json")
    #expect(
      try inspect("schema", scene.store, "--as", "snapshot", "-o", old).exitCode == 0)
    let second = String(decoding: try Fixture.bytes(at: old), as: UTF8.self)
      .replacing(#""version":1"#, with: #""version":2"#)
      .replacing(
        #"{"name":"note""#, with: #"{"name":"n","type":"integer","optional":true},{"name":"remark""#
      )
    let new = scene.folder.file("new.json")
    try scene.folder.write(Array(second.utf8), to: new)
    let guess = try inspect("migrate", "new", old, new)
    #expect(guess.exitCode == 0)
    #expect(
      guess.errorText.contains(
        "Loan.note may have been renamed to Loan.remark; say so with --rename"))
    #expect(
      guess.text.hasPrefix("// Loses the values of Loan.note; \"allowsLoss\": true allows it.\n"))
    let made = try inspect(
      "migrate", "new", old, new, "--id", "remark", "--rename", "Loan.note=remark")
    #expect(made.error.isEmpty)
    #expect(
      made.text == """
        {
          "format": 1,
          "id": "remark",
          "from": 1, "to": 2,
          "operations": [
            {"from":"note","model":"Loan","op":"renameProperty","to":"remark"},
            {"model":"Loan","op":"addProperty","property":{"name":"n","optional":true,"type":"integer"}},
          ],
        }

        """)
    #expect(
      scene.folder.names == ["app.\(backend.rawValue)", "migrations", "new.json", "old.json"])
    // With --write the file and both snapshots are in the folder; the store itself is a schema as well.
    let written = try inspect(
      "migrate", "new", scene.store, new, "--id", "remark", "--rename", "Loan.note=remark",
      "--with", scene.migrations, "--write")
    #expect(
      written.lines
        == ["0002-remark.json", "schemas/1.json", "schemas/2.json"].map {
          scene.migrations + "/" + $0
        },
      "\(written.errorText)")
    #expect(try scene.text("0002-remark.json") == made.text)
    #expect(try scene.migrate("lint").lines == ["ok"])
    #expect(try scene.migrate("run").exitCode == 0)
    #expect(try scene.migrate("verify").lines == ["ok"])
    #expect(
      try scene.records("Loan").first
        == #"{"reader":1,"book":"a","days":14,"remark":"line\n'two'","since":null,"n":null}"#)
    // It is not made twice, and nothing is written over.
    let again = try inspect(
      "migrate", "new", old, new, "--id", "other", "--with", scene.migrations, "--write")
    #expect(again.exitCode == 2 && again.errorText.contains("begin with version 1"))
  }

  @Test("what no migration can be made of is refused")
  func impossible() throws {
    let scene = try MigrationScene(isEmpty: true)
    let old = scene.folder.file("old.json")
    _ = try inspect("schema", scene.store, "--as", "snapshot", "-o", old)
    for (words, code, text) in [
      ([old, old], Int32(2), "later version"), ([old], 2, "OLD NEW"),
      ([old, scene.folder.file("none")], 3, "none"),
      ([old, try scene.folder.add("structs.sqlite")], 3, "another program"),
      ([old, old, "--rename", "a.b.c=d"], 2, "MODEL.OLD=NEW"),
    ] {
      let run = try ToolRun.program(ToolRun.executablePath, ["migrate", "new"] + words)
      #expect(run.exitCode == code && run.output.isEmpty, "\(words): \(run.errorText)")
      #expect(run.errorText.contains(text), "\(run.errorText)")
    }
    let next = scene.folder.file("next.json")
    let text = String(decoding: try Fixture.bytes(at: old), as: UTF8.self)
    try scene.folder.write(Array(text.replacing(":1}", with: ":2}").utf8), to: next)
    let unused = try inspect("migrate", "new", old, next, "--rename", "Loan.note=nothing")
    #expect(unused.exitCode == 2 && unused.errorText.contains("nothing can be renamed"))
    #expect(
      try inspect("schema", scene.folder.file("structs.sqlite"), "--as", "snapshot").exitCode == 3)
  }

  // MARK: lint

  @Test("lint finds what is dangerous, by rules with names")
  func lint() throws {
    for (operation, rule, severity, code) in [
      (#"{"op": "removeProperty", "model": "Loan", "property": "note"}"#, "loss", "error", 1),
      (#"{"op": "removeProperty", "model": "Loan", "property": "book"}"#, "impossible", "error", 1),
      (
        #"{"op": "addProperty", "model": "Loan", "property": {"name": "n", "type": "text"}}"#,
        "required", "warning", 0
      ),
      (
        #"{"op": "changeProperty", "model": "Loan", "property": "note", "change": {"optional": false}}"#,
        "required", "warning", 0
      ),
      (
        #"{"op": "changeProperty", "model": "Person", "property": "age", "change": {"type": "integer"}}"#,
        "conversion", "warning", 0
      ),
      (
        #"{"op": "addIndex", "model": "Person", "index": {"properties": ["name"], "isUnique": true}}"#,
        "unique", "warning", 0
      ),
      (
        #"{"op": "addReference", "model": "Loan", "property": "days", "reference": {"target": "Person"}}"#,
        "reference", "warning", 0
      ),
      (#"{"op": "sql", "sql": "CREATE INDEX i ON Person(lower(name))"}"#, "sql", "note", 0),
      (#"{"op": "sql", "sql": "delete from Person"}"#, "loss", "error", 1),
      (#"{"op": "code", "name": "c", "changes": ["Person"]}"#, "code", "warning", 0),
      ("", "empty", "note", 0), ("{}", "invalid", "error", 1),
    ] {
      let scene = try MigrationScene(isEmpty: true)
      try scene.write("0002-x.json", MigrationScene.migration("x", operation))
      let before = try scene.folder.state()
      let run = try inspect(
        "migrate", "lint", scene.store, "--with", scene.migrations, "-f", "ndjson")
      #expect(
        run.lines.contains {
          $0.hasPrefix(#"{"severity":"\#(severity)","rule":"\#(rule)","file":"0002-x.json""#)
        }, "\(operation): \(run.text)\(run.errorText)")
      #expect(run.exitCode == code || rule == "code", "\(operation): \(run.text)")
      let strict = try inspect(
        "migrate", "lint", scene.store, "--with", scene.migrations, "--strict")
      #expect(strict.exitCode == (severity == "note" ? 0 : 1), "\(operation): \(strict.text)")
      #expect(strict.text.contains("[\(rule)]"))
      #expect(try scene.folder.state() == before)
    }
  }

  @Test("lint holds migrations to the snapshots, without a store")
  func lintSnapshots() throws {
    let scene = try MigrationScene()
    _ = try scene.folder.folder("migrations/schemas")
    let first = try scene.sqlite("SELECT json FROM kura_schema")
    try scene.write("schemas/1.json", first)
    #expect(try scene.migrate("run", "--to", "2").exitCode == 0)
    let second = try scene.sqlite("SELECT json FROM kura_schema WHERE version = 2")
    try scene.write("schemas/2.json", second)
    let clean = try inspect("migrate", "lint", "--with", scene.migrations)
    #expect(clean.exitCode == 1 && !clean.text.contains("[snapshot]"), "\(clean.text)")
    try scene.write("schemas/2.json", second.replacing("\"first\"", with: "\"forename\""))
    let wrong = try inspect("migrate", "lint", "--with", scene.migrations)
    #expect(wrong.exitCode == 1)
    #expect(wrong.text.contains("do not lead to schemas/2.json"), "\(wrong.text)")
  }

  // MARK: rehearse

  @Test(
    "a rehearsal proves on a copy and leaves the store", arguments: MigrationScene.Backend.allCases)
  func rehearse(_ backend: MigrationScene.Backend) throws {
    let scene = try MigrationScene(backend)
    let scratch = try TemporaryFolder()
    let before = try scene.folder.state()
    let run = try ToolRun.inspect(
      "migrate", "rehearse", scene.store, "--with", scene.migrations, "-f", "json",
      environment: ["TMPDIR": scratch.path])
    #expect(run.exitCode == 0, "\(run.errorText)")
    // The numbers are those of v1.dump and v1-v3.dump.
    #expect(run.text.contains(#""from":1,"to":3,"#))
    #expect(run.text.contains(#""recordsBefore":["Loan 2","Person 4"]"#))
    #expect(run.text.contains(#""recordsAfter":["Address 2","Loan 2","Reader 3"]"#))
    #expect(run.text.contains(#""quarantined":1,"#) && run.text.contains(#""isClean":true"#))
    #expect(run.text.contains("Person in names"))
    #expect(run.errorText.contains("allowsLoss"))
    #expect(try scene.folder.state() == before)
    #expect(scratch.names.isEmpty)

    try scene.write(
      "0002-names.json",
      MigrationScene.migration(
        "x",
        #"{"op": "changeProperty", "model": "Person", "property": "age", "change": {"type": "integer"}}"#
      ))
    let bad = try ToolRun.inspect(
      "migrate", "rehearse", scene.store, "--with", scene.migrations, "--to", "2",
      environment: ["TMPDIR": scratch.path])
    #expect(bad.exitCode == 8 && bad.errorText.contains(scene.store), "\(bad.errorText)")
    #expect(scratch.names.isEmpty)
  }
}
