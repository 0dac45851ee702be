import Foundation
import Kura
import Testing

// README: models
@Model struct Author {
  @PrimaryKey var id: Int
  var name: String
}

@Model struct Book {
  @PrimaryKey var isbn: String
  @Indexed var title: String
  var pages: Int = 0
  var published: Date?
  @Relation(onDelete: .cascade) var author: Reference<Author>
}

/// The Swift blocks of the README, compiled here as they stand there and run.
@Suite("README.md")
struct ReadmeExampleTests {
  @Test("makes a store, writes a book and finds it again, and inspects what it made")
  func firstStore() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "kura-readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    // README: a first store
    let schema = try Schema(version: 1, Author.self, Book.self)
    let configuration = StoreConfiguration(at: .file(folder.path + "/library.db"), schema: schema)
    let store = try Store.open(configuration)

    // README: a write and a read
    try store.write { transaction in
      let author = Author(id: 1, name: "Ursula K. Le Guin")
      try transaction.insert(author)
      try transaction.insert(
        Book(
          isbn: "9780061054884", title: "The Dispossessed", pages: 387,
          author: Reference(to: author)))
    }
    let books = try store.read { transaction in
      try transaction.records(Book.where { $0.pages > 300 }.sorted(by: { $0.title }))
    }

    #expect(books.map(\.title) == ["The Dispossessed"] && books.first?.author == Reference(1))
    try store.close()

    // README: when the schema changes
    switch try Store.inspect(configuration) {
    case .current, .missing, .empty: print("ready to open")
    case .pending(let plan): print("opening it will do: \(plan)")
    case .unexplained(let error): print("a migration has to be written: \(error)")
    case .newer(let version): print("made by a newer app, version \(version)")
    case .drifted(let difference): print("the schema differs: \(difference)")
    case .foreign(let what): print("not made by Kura: \(what)")
    case .damaged(let error): print(error)
    }
    #expect(try Store.inspect(configuration) == .current)
  }

  @Test("migrates a store of version 1 by what is written and by what is added")
  func migration() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "kura-readme-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try Schema(
      version: 1,
      [
        Author.modelDescription,
        ModelDescription(
          "Book", primaryKey: ["isbn"],
          properties: [
            PropertyDescription("isbn", .text), PropertyDescription("name", .text),
            PropertyDescription(
              "author", .integer, reference: ReferenceDescription(to: "Author", onDelete: .cascade)),
          ], indexes: [IndexDescription(["name"])]),
      ])
    let old = try Store.open(
      StoreConfiguration(at: .file(folder.path + "/library.db"), schema: first))
    try old.write { transaction in
      try transaction.insert(Author(id: 1, name: "Ursula K. Le Guin"))
      try transaction.insert(
        "Book", ["isbn": "9780061054884", "name": "The Dispossessed", "author": 1])
    }
    try old.close()

    // README: instead of try! Realm()
    let migrations = try Migrations(
      Migration("titles", from: 1, to: 2) {
        MigrationOperation.renameProperty(model: "Book", from: "name", to: "title")
      })
    let configuration = StoreConfiguration(
      at: .file(folder.path + "/library.db"),
      schema: try Schema(version: 2, Author.self, Book.self),
      migrations: migrations)
    let store = try Store.open(configuration)

    let book = try store.read { try $0.record(Book.self, key: "9780061054884") }
    #expect(book?.title == "The Dispossessed" && book?.pages == 0)
    #expect(try store.history().records.map(\.id) == ["titles", "inferred-2-2"])
    try store.close()
  }

  @Test("follows a query from its first rows on")
  func observation() async throws {
    let store = try await Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Author.self, Book.self)))
    let following = Task {
      for try await change in store.changes(of: Book.where { $0.pages > 300 }) {
        print(change.rows.count)
      }
    }
    following.cancel()
    try await following.value
  }

  @Test("shows only Swift that is compiled and run by this suite")
  func blocksAreCompiled() throws {
    let tests = RepositoryText.squeezed(
      try RepositoryText.read("Tests/DocumentationTests/ReadmeExampleTests.swift"))
    let blocks = try RepositoryText.blocks("swift", in: "README.md")
    #expect(blocks.count == 6)
    for block in blocks {
      // The import stands at the file's top, and the store lives in a folder of its own.
      let example = block.replacing("import Foundation\nimport Kura\n", with: "")
        .replacing(".file(\"library.db\")", with: ".file(folder.path + \"/library.db\")")
      let isCompiled = tests.contains(RepositoryText.squeezed(example))
      #expect(isCompiled, "not in this suite:\n\(block)")
    }
  }

  @Test("has at most 200 lines, and every link in it and in docs/ leads to a file")
  func shape() throws {
    let readme = try RepositoryText.read("README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 200)
    let documents = try FileManager.default.contentsOfDirectory(
      atPath: RepositoryText.root.appending(path: "docs").path
    ).filter { $0.hasSuffix(".md") }
    for (folder, name) in [("", "README.md"), ("", "CONTRIBUTING.md")]
      + documents.map({ ("docs/", $0) })
    {
      let text = try RepositoryText.read(folder + name)
      for link in text.matches(of: /\]\(([^)#:]+)\)/) {
        let target = RepositoryText.root.appending(path: folder + String(link.output.1))
        #expect(
          FileManager.default.fileExists(atPath: target.path), "\(name) links to \(link.output.1)")
      }
    }
  }
}
