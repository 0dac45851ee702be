import KuraCore
import Testing

@Suite("Migrations as data")
struct MigrationTests {
  private let readable = """
    // What 0002 is for.
    {
      "to": 2, "format": 1, "id": "0002", /* members in any order */
      "summary": "names",
      "from": 1,
      "operations": [
        {"op": "renameProperty", "model": "Person", "to": "title", "from": "name",},
      ],
    }
    """

  @Test func `comments, trailing commas, line ends, order and summary leave the checksum alone`()
    throws
  {
    let migration = try Migration(json: readable)
    let windows = try Migration(
      json: "\u{FEFF}" + readable.split(separator: "\n").joined(separator: "\r\n"))
    let built = Migration("0002", from: 1, to: 2) {
      MigrationOperation.renameProperty(model: "Person", from: "name", to: "title")
    }
    #expect(migration.checksum == built.checksum)
    #expect(windows.checksum == built.checksum)
    #expect(try Migration(json: built.prettyJSON) == built)
    // printf of the canonical JSON without a line end, through sha256sum.
    #expect(
      built.canonicalJSON
        == #"{"format":1,"from":1,"id":"0002","operations":[{"from":"name","model":"Person","#
        + #""op":"renameProperty","to":"title"}],"to":2}"#)
    #expect(
      built.checksum
        == "m1:48f31d2d98ccea16b0e1e8b6333acb5e35582152598524d82cd8752b30bab420")
  }

  @Test func `a changed literal changes the checksum`() throws {
    let migration = try Migration(json: readable)
    let other = try Migration(json: readable.replacing("title", with: "titel"))
    #expect(migration.checksum != other.checksum)
  }

  @Test(arguments: [
    (#"{"format":1,"id":"a","from":1,"to":2,"operations":[{"op":"renameModle"}]}"#, "renameModel"),
    (
      #"{"format":1,"id":"a","from":1,"to":2,"operations":[{"op":"removeModel","modle":"x"}]}"#,
      "did you mean \"model\"?"
    ),
    (#"{"format":1,"id":"a","from":1,"to":2,"operations":[{"op":"removeModel"}]}"#, "\"model\""),
    (#"{"format":1,"id":"a","from":1,"to":2}"#, "operations"),
    ("[", "JSON"),
  ])
  func `wrong JSON is refused with what is wrong`(json: String, hint: String) throws {
    let error = try #require(throws: StoreError.self) { try Migration(json: json) }
    #expect(error.code == .invalidMigration)
    #expect(error.message.contains(hint), "\(error)")
  }

  @Test func `JSON of a newer form is refused as such`() throws {
    let error = try #require(throws: StoreError.self) {
      try Migration(json: #"{"format":2,"new":true}"#)
    }
    #expect(error.code == .newerFormat)
  }

  @Test func `a chain is put in order and gives what a version lacks`() throws {
    let chain = try Migrations(
      Migration("c", from: 4, to: 7) {}, Migration("a", from: 1, to: 2) {},
      Migration("b", from: 2, to: 4) {})
    #expect(chain.all.map(\.id) == ["a", "b", "c"])
    #expect(try chain.pending(from: 2).map(\.id) == ["b", "c"])
    #expect(try chain.pending(from: 7).isEmpty)
    let error = try #require(throws: StoreError.self) { try chain.pending(from: 3) }
    #expect(error.code == .invalidMigration)
  }

  @Test(
    arguments: [
      ([("a", 1, 2), ("b", 3, 4)], "in between"),
      ([("a", 1, 2), ("b", 1, 3)], "follow the other"),
      ([("a", 1, 2), ("a", 2, 3)], "two migrations have the id"),
      ([("a", 2, 2)], "later version"),
      ([("a", 0, 1)], "later version"),
      ([("a", 1, 3), ("b", 2, 4)], "reached twice"),
      ([("", 1, 2)], "1 to 255 bytes"),
    ] as [([(String, Int, Int)], String)])
  func `gaps, branches, duplicates and ways back are refused`(
    links: [(String, Int, Int)], reason: String
  ) throws {
    let error = try #require(throws: StoreError.self) {
      _ = try Migrations(links.map { Migration($0.0, from: $0.1, to: $0.2) {} })
    }
    #expect(error.code == .invalidMigration)
    #expect("\(error)".contains(reason), "\(error)")
  }

  @Test func `code steps belong to operations by their names`() throws {
    let migration = Migration("a", from: 1, to: 2) {
      MigrationOperation.code("normalise", changes: ["Person"])
    }
    #expect(throws: Never.self) {
      try Migrations(migration, code: [MigrationCodeStep("normalise") { _ in }])
    }
    let error = try #require(throws: StoreError.self) {
      try Migrations(migration, code: [MigrationCodeStep("normalize") { _ in }])
    }
    #expect(error.suggestion == "did you mean \"normalise\"?")
  }

  @Test func `an error names the migration and the operation`() throws {
    let migration = Migration("0002", from: 1, to: 2) {
      MigrationOperation.removeModel("Pet")
      MigrationOperation.removeModel("Pet")
    }
    let error = try #require(throws: StoreError.self) {
      try migration.applied(to: MigrationSamples.schema())
    }
    #expect(error.message.hasPrefix("migration \"0002\", operation 2: remove model Pet: "))
  }
}
