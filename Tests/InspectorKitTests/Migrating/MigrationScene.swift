#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store of the library of `Fixtures/migrations`, in version 1, beside a folder of migrations.
struct MigrationScene {
  /// A backend, by the ending of its frozen files.
  enum Backend: String, CaseIterable { case sqlite, lmdb }

  let folder: TemporaryFolder
  let store: String
  let migrations: String

  /// Copies the frozen store, and the two migrations unless the folder is to be empty.
  init(_ backend: Backend = .sqlite, isEmpty: Bool = false) throws {
    folder = try TemporaryFolder()
    store = try folder.add("migrations/v1.\(backend.rawValue)", as: "app.\(backend.rawValue)")
    migrations = try folder.folder("migrations")
    guard !isEmpty else { return }
    for name in ["0002-names.json", "0003-readers.json"] {
      try write(name, String(decoding: Fixture.bytes("library-migrations/" + name), as: UTF8.self))
    }
  }

  /// Writes a file of the folder of migrations.
  func write(_ name: String, _ text: String) throws {
    try folder.write(Array(text.utf8), to: migrations + "/" + name)
  }

  /// The text of a file of the folder of migrations.
  func text(_ name: String) throws -> String {
    String(decoding: try Fixture.bytes(at: migrations + "/" + name), as: UTF8.self)
  }

  /// A migration's JSON with operations.
  static func migration(
    _ id: String, from: Int = 1, to: Int = 2, _ operations: String, more: String = ""
  ) -> String {
    #"{"format": 1, "id": "\#(id)", "from": \#(from), "to": \#(to), \#(more)"#
      + #""operations": [\#(operations)]}"#
  }

  /// Runs `migrate ACTION PATH --with FOLDER` with more words.
  func migrate(_ action: String, _ more: String...) throws -> ToolRun {
    try ToolRun.program(
      ToolRun.executablePath, ["migrate", action, store, "--with", migrations] + more)
  }

  /// What stock `sqlite3` says.
  func sqlite(_ sql: String, _ path: String? = nil) throws -> String {
    let run = try ToolRun.program("sqlite3", [path ?? store, sql])
    guard run.exitCode == 0 else { throw Failure(call: run.errorText, number: run.exitCode) }
    return run.text
  }

  /// The records of a model, as the tool writes them.
  func records(_ model: String) throws -> [String] {
    try ToolRun.program(
      ToolRun.executablePath, ["query", store, model, "--format", "ndjson"]
    ).lines
  }
}
