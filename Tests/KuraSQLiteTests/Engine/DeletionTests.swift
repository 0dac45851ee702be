import KuraCore
import Testing

@testable import KuraSQLite

/// Records that are deleted together beside references that raw SQL left open.
@Suite("Records deleted together")
struct DeletionTests {
  private static let node = ModelDescription(
    "Node", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer),
      PropertyDescription(
        "next", .integer, isOptional: true,
        reference: ReferenceDescription(to: "Node", onDelete: .deny)),
    ])
  private static let layout = ModelLayout(node)
  private static let pair: [(model: ModelLayout, key: RecordKey)] = [(layout, 1), (layout, 2)]

  /// Two nodes that deny each other's deletion, and a third.
  private func shop(third: StoredValue) throws -> (Workshop, SQLiteEngine) {
    let shop = try Workshop()
    let engine = try shop.make(Self.node)
    try engine.write { transaction throws in
      for (id, next) in [(1, .null), (2, 1), (3, third)] as [(Int64, StoredValue)] {
        try transaction.put(Self.layout, [.integer(id), next])
      }
      try transaction.execute(
        sql: "UPDATE Node SET next = 2 WHERE id = 1; CREATE TABLE log"
          + "(node INTEGER REFERENCES Node(id) DEFERRABLE INITIALLY DEFERRED)", parameters: [:])
    }
    return (shop, engine)
  }

  @Test("a reference that is open by SQL's own rules denies nothing")
  func openReference() throws {
    let (shop, engine) = try shop(third: .null)
    try engine.write { transaction throws in
      try transaction.execute(sql: "INSERT INTO log VALUES (99)", parameters: [:])
      #expect(try transaction.delete(Self.pair) == [true, true])
      try transaction.put(Self.layout, [99, .null])
    }
    #expect(
      try shop.stock("SELECT id FROM Node ORDER BY id; PRAGMA foreign_key_check") == "3\n99")
  }

  @Test("what denies is found beside an open reference", arguments: [true, false])
  func deniedBesideOpenReference(isOpen: Bool) throws {
    let (shop, engine) = try shop(third: 1)
    let transaction = try #require(
      try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    if isOpen { try transaction.execute(sql: "INSERT INTO log VALUES (99)", parameters: [:]) }
    expectError(.brokenReference) { _ = try transaction.delete(Self.pair) }
    transaction.end()
    #expect(try shop.stock("SELECT id FROM Node ORDER BY id") == "1\n2\n3")
  }

  @Test("a deleted record that SQL's deferred key refers to is denied as any other")
  func deferredKey() throws {
    let (shop, engine) = try shop(third: .null)
    defer { withExtendedLifetime(shop) {} }
    let transaction = try #require(
      try engine.beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    try transaction.execute(sql: "INSERT INTO log VALUES (1), (99)", parameters: [:])
    expectError(.brokenReference) { _ = try transaction.delete(Self.pair) }
    transaction.end()
  }
}
