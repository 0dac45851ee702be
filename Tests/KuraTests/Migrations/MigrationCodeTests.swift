import Foundation
import Kura
import Testing

@Suite("Code steps of migrations")
struct MigrationCodeTests {
  private static func schema(_ version: Int, gone: Bool, key: String = "name") throws -> Schema {
    let person = ModelDescription(
      "Person", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription(key, .text),
        PropertyDescription("phone", .text, isOptional: true),
      ])
    let old = ModelDescription(
      "Note", primaryKey: ["id"],
      properties: [PropertyDescription("id", .integer), PropertyDescription("text", .text)])
    return try Schema(version: version, gone ? [person] : [person, old])
  }

  private static func filled(_ format: StoreFormat) throws -> MigrationBench {
    let bench = try MigrationBench(format)
    try bench.make(try schema(1, gone: false)) { transaction in
      try transaction.insert("Person", ["id": 1, "name": "Ada", "phone": "1-2"])
      try transaction.insert("Person", ["id": 2, "name": "Bob"])
      try transaction.insert("Person", ["id": 3, "name": "Eve", "phone": "3"])
      try transaction.insert("Note", ["id": 1, "text": "met in Bonn"])
    }
    return bench
  }

  private struct Trouble: Error {}

  @Test(arguments: migratedFormats)
  func `a step sees old and new records, removed models included, and deletes at the end`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.removeModel("Note")
      MigrationOperation.renameProperty(model: "Person", from: "name", to: "title")
      MigrationOperation.code("mend", changes: ["Person"])
    }
    let step = MigrationCodeStep("mend") { context in
      let notes = try context.old.records(Query("Note"))
      try context.forEach("Person") { old, new in
        let phone = old["phone"] ?? .null
        if try old.value("id", as: Int64.self) == 3 { try context.delete("Person", key: 3) }
        // Still there until the walk's end.
        if try old.value("id", as: Int64.self) == 3 {
          #expect(try context.new.record("Person", key: 3) != nil)
        }
        if case .text(let text) = phone {
          try new.set("phone", .text(text.replacing("-", with: "")))
        } else {
          try new.set("phone", "none")
        }
        if new.key == 1, let text = try notes.first?.value("text", as: String.self) {
          try new.set("title", .text(text))
        }
      }
    }
    let schema = try Self.schema(2, gone: true, key: "title")
    #expect(
      try bench.migrate(to: schema, try Migrations(migration, code: [step])) {
        try $0.dump("Person")
      } == ["id=1 phone='12' title='met in Bonn'", "id=2 phone='none' title='Bob'"])
  }

  @Test(arguments: migratedFormats) func `what a step throws undoes everything and is named`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.removeModel("Note")
      MigrationOperation.code("mend", changes: ["Person"])
    }
    let step = MigrationCodeStep("mend") { context in
      try context.new.delete(Query("Person"))
      throw Trouble()
    }
    let schema = try Self.schema(2, gone: true)
    let error = try #require(throws: StoreError.self) {
      try Store.open(bench.configuration(schema, try Migrations(migration, code: [step])))
    }
    #expect(error.code == .codeStepFailed)
    #expect(error.message.contains("Trouble"))
    try bench.migrate(to: try Self.schema(1, gone: false)) { (transaction) throws in
      #expect(try transaction.count(Query("Person")) == 3)
      #expect(try transaction.count(Query("Note")) == 1)
    }
  }

  @Test(arguments: migratedFormats)
  func `a step of a later migration sees what the one before it made`(format: StoreFormat) throws {
    let bench = try Self.filled(format)
    let second = Migration("second", from: 1, to: 2) {
      MigrationOperation.transform(model: "Person", set: ["phone": "'0'"])
      MigrationOperation.renameProperty(model: "Person", from: "name", to: "title")
    }
    let third = Migration("third", from: 2, to: 3) {
      MigrationOperation.removeModel("Note")
      MigrationOperation.code("mend", changes: ["Person"])
    }
    let step = MigrationCodeStep("mend") { context in
      #expect(context.old.schema.version == 2)
      try context.forEach("Person") { old, new in
        try new.set(
          "phone",
          .text(try old.value("phone", as: String.self) + old.value("title", as: String.self)))
      }
    }
    let schema = try Self.schema(3, gone: true, key: "title")
    #expect(
      try bench.migrate(to: schema, try Migrations(second, third, code: [step])) {
        try $0.dump("Person")
      } == [
        "id=1 phone='0Ada' title='Ada'", "id=2 phone='0Bob' title='Bob'",
        "id=3 phone='0Eve' title='Eve'",
      ])
    #expect(try bench.history(schema).map(\.id) == ["second", "third"])
  }

  @Test(arguments: migratedFormats)
  func `records that a walk deletes stay to its end, however many they are`(format: StoreFormat)
    throws
  {
    let bench = try Self.filled(format)
    let count: Int64 = 4000
    let store = try Store.open(bench.configuration(try Self.schema(1, gone: false)))
    try store.write { transaction in
      for id in 10..<10 + count {
        try transaction.insert("Person", ["id": .integer(id), "name": "x", "phone": "1"])
      }
    }
    try store.close()
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.code("mend", changes: ["Person"])
    }
    let step = MigrationCodeStep("mend") { context in
      try context.forEach("Person") { old, _ in
        guard let key = old.key, try old.value("id", as: Int64.self) >= 10 else { return }
        try context.delete("Person", key: key)
        #expect(try context.new.record("Person", key: key) != nil)
      }
      #expect(try context.new.count(Query("Person")) == 3)
    }
    let schema = try Self.schema(2, gone: false)
    try bench.migrate(to: schema, try Migrations(migration, code: [step])) { (transaction) throws in
      #expect(try transaction.dump("Person").map { $0.prefix(4) } == ["id=1", "id=2", "id=3"])
    }
  }

  @Test(arguments: migratedFormats)
  func `a step that is not registered is asked for before anything happens`(format: StoreFormat)
    throws
  {
    let bench = try Self.filled(format)
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.code("mend", changes: ["Person"])
    }
    let before = try bench.bytes()
    let error = try #require(throws: StoreError.self) {
      try Store.open(
        bench.configuration(try Self.schema(2, gone: false), try Migrations(migration)))
    }
    #expect(error.code == .needsAppCode)
    #expect(try bench.bytes() == before)
  }

  @Test(arguments: migratedFormats) func `a step changes the models that it names only`(
    format: StoreFormat
  ) throws {
    let bench = try Self.filled(format)
    let migration = Migration("code", from: 1, to: 2) {
      MigrationOperation.code("mend", changes: ["Person"])
    }
    for step in [
      MigrationCodeStep("mend") { try $0.delete("Note", key: 1) },
      MigrationCodeStep("mend") { context in
        try context.new.update("Note", key: 1, ["text": "x"])
      },
    ] {
      let error = try #require(throws: StoreError.self) {
        try Store.open(
          bench.configuration(
            try Self.schema(2, gone: false), try Migrations(migration, code: [step])))
      }
      #expect(error.code == .invalidMigration || error.code == .notConserved, "\(error)")
    }
  }
}
