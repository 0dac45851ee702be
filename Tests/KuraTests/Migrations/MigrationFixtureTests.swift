import Foundation
import Kura
import KuraTesting
import Testing

/// Three versions of a small library's store, whose files in `Fixtures/migrations` are frozen.
enum LibraryVersions {
  static let migrations = [
    Migration("names", from: 1, to: 2) {
      MigrationOperation.splitProperty(
        model: "Person", "name",
        into: [
          PropertyDescription("first", .text), PropertyDescription("last", .text, isOptional: true),
        ], separator: " ")
      MigrationOperation.changeProperty(
        model: "Person", "age", .type(.integer, .lenient, onFailure: .quarantine))
      MigrationOperation.addIndex(model: "Person", IndexDescription(["last", "first"]))
      MigrationOperation.transform(model: "Loan", where: "days > 30", set: ["days": "30"])
    },
    Migration("readers", from: 2, to: 3) {
      MigrationOperation.renameModel(from: "Person", to: "Reader")
      MigrationOperation.renameProperty(model: "Reader", from: "age", to: "years")
      MigrationOperation.extractModel(
        model: "Reader", properties: ["street", "city"], into: "Address", reference: "home")
      MigrationOperation.removeProperty(model: "Loan", "note")
      MigrationOperation.addProperty(
        model: "Loan", PropertyDescription("fee", .double, defaultValue: 0.0), value: "days * 0.25")
    },
  ]

  static func first() throws -> Schema {
    try Schema(
      version: 1,
      [
        ModelDescription(
          "Person", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer), PropertyDescription("name", .text),
            PropertyDescription("age", .text, isOptional: true),
            PropertyDescription("street", .text, isOptional: true),
            PropertyDescription("city", .text, isOptional: true),
            PropertyDescription("photo", .data, isOptional: true),
          ]),
        ModelDescription(
          "Loan", primaryKey: ["reader", "book"],
          properties: [
            PropertyDescription(
              "reader", .integer,
              reference: ReferenceDescription(to: "Person", onDelete: .cascade)),
            PropertyDescription("book", .text), PropertyDescription("days", .integer),
            PropertyDescription("note", .text, isOptional: true),
            PropertyDescription("since", .date, isOptional: true),
          ]),
      ])
  }

  static func schemas() throws -> [Schema] {
    let first = try first()
    let second = try migrations[0].applied(to: first)
    return [first, second, try migrations[1].applied(to: second)]
  }

  static func tester() throws -> MigrationTester {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return MigrationTester(
      fixtures: root.appending(path: "Fixtures/migrations").path, schemas: try schemas(),
      migrations: try Migrations(migrations))
  }
}

@Suite("Fixtures of migrations")
struct MigrationFixtureTests {
  @Test func `frozen files of every version migrate to every later one on both backends`() throws {
    #expect(try LibraryVersions.tester().run() == [])
  }

  @Test func `a difference is shown by its lines, and the store is kept`() throws {
    let folder = try TemporaryFolder()
    let real = try LibraryVersions.tester()
    try FileManager.default.copyItem(atPath: real.fixtures, toPath: folder.file("fixtures"))
    let dump = folder.file("fixtures/v1-v3.dump")
    let text = try String(contentsOfFile: dump, encoding: .utf8)
    try text.replacing("'Lovelace'", with: "'Byron'").write(
      toFile: dump, atomically: true, encoding: .utf8)
    let failures = try MigrationTester(
      fixtures: folder.file("fixtures"), schemas: real.schemas, migrations: real.migrations
    ).run()
    #expect(failures.map(\.format) == [.sqlite, .lmdb])
    for failure in failures {
      #expect(failure.from == 1 && failure.to == 3)
      #expect(failure.problem.contains("+ Reader(") && failure.problem.contains("'Byron'"))
      #expect(FileManager.default.fileExists(atPath: failure.kept))
      try FileManager.default.removeItem(
        atPath: URL(filePath: failure.kept).deletingLastPathComponent().path)
    }
  }

  @Test func `recording makes what is missing and leaves what is there`() throws {
    let folder = try TemporaryFolder()
    let tester = MigrationTester(
      fixtures: folder.file("new"), schemas: try LibraryVersions.schemas(),
      migrations: try Migrations(LibraryVersions.migrations))
    let made = try tester.record(1) { try $0.insert("Person", ["id": 1, "name": "Ada Lovelace"]) }
    #expect(
      made.map { URL(filePath: $0).lastPathComponent }.sorted()
        == ["v1-v2.dump", "v1-v3.dump", "v1.dump", "v1.lmdb", "v1.sqlite"])
    #expect(
      try String(contentsOfFile: folder.file("new/v1-v2.dump"), encoding: .utf8)
        == "Person(age: NULL, city: NULL, first: 'Ada', id: 1, last: 'Lovelace', photo: NULL, "
        + "street: NULL)\n")
    #expect(try tester.record(1) { _ in Issue.record("filled again") } == [])
  }

  /// Makes the files of a new version: `KURA_RECORD=1 swift test --filter MigrationFixtureTests`.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["KURA_RECORD"] != nil))
  func record() throws {
    let tester = try LibraryVersions.tester()
    _ = try tester.record(1) { transaction in
      try transaction.insert(
        "Person",
        [
          "id": 1, "name": "Ada Lovelace", "age": "36", "street": "St James's Square",
          "city": "London", "photo": .data([0, 255, 7]),
        ])
      try transaction.insert("Person", ["id": 2, "name": "村上 春樹", "age": " 077 "])
      try transaction.insert("Person", ["id": 3, "name": "Plato", "age": "unknown"])
      try transaction.insert("Person", ["id": 4, "name": "Jean Paul Richter", "city": "Bayreuth"])
      try transaction.insert("Loan", ["reader": 1, "book": "a", "days": 14, "note": "line\n'two'"])
      try transaction.insert(
        "Loan",
        [
          "reader": 2, "book": "b", "days": 99,
          "since": Timestamp(seconds: 1_700_000_000, nanoseconds: 5).map { .date($0) } ?? .null,
        ])
    }
    _ = try tester.record(2) { transaction in
      try transaction.insert("Person", ["id": 1, "first": "Ada", "age": 36])
      try transaction.insert("Loan", ["reader": 1, "book": "a", "days": 7])
    }
    _ = try tester.record(3) { transaction in
      try transaction.insert("Address", ["id": 1, "street": "x", "city": nil])
      try transaction.insert("Reader", ["id": 1, "first": "Ada", "home": 1])
    }
  }
}
