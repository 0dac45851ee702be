import Kura
import Testing

@Model struct Folder {
  @PrimaryKey var id: Int
  var name: String
  var parent: Reference<Folder>?
  @Relation(onDelete: .cascade) var children: ReferenceList<Folder>
}

/// Models whose references and lists lead to records of their own kind.
@Suite struct TreeModelTests {
  private func store(_ format: StoreFormat) throws -> Store {
    let store = try Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Folder.self), format: format))
    try store.write { transaction in
      let leaf = Folder(id: 3, name: "leaf", parent: Reference(2), children: [])
      let stem = Folder(id: 2, name: "stem", parent: Reference(1), children: [])
      try transaction.insert(Folder(id: 1, name: "root", parent: nil, children: []))
      try transaction.insert(stem)
      try transaction.insert(leaf)
      try transaction.update(Folder.self, key: 2) {
        $0.children.append(leaf)
        $0.children.append(leaf)
      }
      try transaction.update(Folder.self, key: 1) { $0.children.append(stem) }
    }
    return store
  }

  @Test(arguments: ModelTests.formats)
  func `lists and references lead to records of their own kind`(format: StoreFormat) throws {
    try store(format).read { transaction in
      func names(_ text: String) throws -> [StoredValue] {
        try transaction.records(try Query(parsing: text)).compactMap { $0["name"] }
      }
      #expect(
        try transaction.records(Folder.where { $0.children.count > 1 }).map(\.name) == ["stem"])
      #expect(try names("Folder WHERE ANY children.name == 'leaf'") == ["stem"])
      #expect(try names("Folder WHERE parent.parent.name == 'root'") == ["leaf"])
      #expect(try names("Folder WHERE parent.children.@count == 2") == ["leaf"])
      // The element twice, by the list's own order.
      let stem = try #require(try transaction.record(Folder.self, key: 2))
      #expect(stem.children.keys == [3, 3])
    }
  }

  @Test(arguments: ModelTests.formats)
  func `an owning list takes the whole tree below with it`(format: StoreFormat) throws {
    let store = try store(format)
    try store.write { transaction in
      try transaction.insert(Folder(id: 9, name: "other", parent: nil, children: []))
      #expect(try transaction.delete(Folder.self, key: 1))
      #expect(try transaction.records(Folder.all).map(\.id) == [9])
      // A circle of lists ends as well.
      let other = Folder(id: 9, name: "other", parent: nil, children: [])
      try transaction.insert(Folder(id: 10, name: "inner", parent: nil, children: []))
      try transaction.update(Folder.self, key: 10) { $0.children.append(other) }
      let inner = Folder(id: 10, name: "inner", parent: nil, children: [])
      try transaction.update(Folder.self, key: 9) { $0.children.append(inner) }
      #expect(try transaction.delete(Folder.self, key: 9))
      #expect(try transaction.count(Folder.all) == 0)
    }
  }
}
