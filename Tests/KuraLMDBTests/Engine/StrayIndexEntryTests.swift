import KuraCore
import Testing

@testable import KuraLMDB

/// Index entries that fit no record, as a file has them that something else wrote to.
@Suite struct `Stray index entries` {
  private static let kennel = ModelDescription(
    "Kennel", primaryKey: ["id"], properties: [PropertyDescription("id", .integer)])
  private static let kennels = ModelLayout(kennel)

  private func dog(_ rule: ReferenceDescription.DeleteRule) -> ModelDescription {
    ModelDescription(
      "Dog", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription(
          "kennel", .integer, isOptional: true,
          reference: ReferenceDescription(to: "Kennel", onDelete: rule)),
      ])
  }

  /// Dog 7 is in the kennel that it is said to be in, or in none; an entry says that it is in the first.
  @Test(
    arguments: [ReferenceDescription.DeleteRule.nullify, .deny, .cascade], [nil, 2] as [Int64?])
  func `deleting what they point at ends, and changes nothing`(
    rule: ReferenceDescription.DeleteRule, kennel: Int64?
  ) throws {
    let workshop = try LMDBWorkshop()
    let model = dog(rule)
    let dogs = ModelLayout(model)
    let engine = try workshop.make(Self.kennel, model)
    let isIn: StoredValue = kennel.map { .integer($0) } ?? .null
    try engine.write { transaction in
      for id in 1...2 as ClosedRange<Int64> { try transaction.put(Self.kennels, [.integer(id)]) }
      try transaction.put(dogs, [7, isIn])
      let writing = try #require(transaction as? LMDBWriteTransaction)
      let index = try #require(try writing.writer(dogs).indexes.first)
      let row = RowBuffer(columns: 2)
      row.setValue(7, at: 0)
      row.setValue(1, at: 1)
      index.entry.begin(row)
      let key = OrderedKey([0x80, 0, 0, 0, 0, 0, 0, 7])
      withExtendedLifetime(key) { index.entry.finish(key.bytes) }
      #expect(
        try writing.snapshot.put(
          index.entry.key, index.entry.value, into: index.target, isNew: true))
    }
    // Stock mdb_dump sees an entry for each kennel that the dog is said to be in.
    #expect(try workshop.stock("i1").count == 4)
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    let error = code { _ = try transaction.delete(1, in: Self.kennels) }
    #expect(error == (rule == .deny ? .brokenReference : .damaged))
    #expect(try transaction.row(7, dogs) == [7, isIn])
    #expect(try transaction.row(1, Self.kennels) == [1])
  }
}
