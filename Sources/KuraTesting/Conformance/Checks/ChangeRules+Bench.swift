import Kura

extension ChangeRules {
  /// A record's change, as the rules write it: of a modification with the places of its properties.
  enum Expected: Equatable, CustomStringConvertible {
    case new, gone
    case changed(Set<Int>)
    case changedAnyhow

    var description: String {
      switch self {
      case .new: "new"
      case .gone: "gone"
      case .changed(let properties): "changed \(properties.sorted())"
      case .changedAnyhow: "changed"
      }
    }
  }

  /// What a body changes; with a commit.
  static func changes(
    _ engine: any StorageEngine, in models: Set<String>? = nil, limit: Int = 1000,
    _ body: (any EngineWriteTransaction) throws -> Void
  ) throws -> ChangeSet {
    let recorder = ChangeRecorder(models: models, limit: limit)
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    transaction.recordChanges(in: recorder)
    try body(transaction)
    try transaction.commit()
    return recorder.changeSet()
  }

  /// Throws unless exactly these records changed; `nil` for a model of which any may have.
  static func expectChanges(
    _ set: ChangeSet, _ expected: [String: [RecordKey: Expected]?], _ what: String
  ) throws {
    try expect(set.isComplete, "\(what): not all changes are known")
    var found: [String: [RecordKey: Expected]?] = [:]
    for (model, changes) in set.models {
      guard case .records(let records) = changes else {
        found.updateValue(nil, forKey: model)
        continue
      }
      var byKey: [RecordKey: Expected] = [:]
      for record in records {
        let change: Expected =
          switch record.kind {
          case .insertion: .new
          case .deletion: .gone
          case .modification where record.properties == .all: .changedAnyhow
          case .modification:
            .changed(Set((0..<64).filter { record.properties.contains($0) }))
          }
        try expect(
          byKey.updateValue(change, forKey: record.key) == nil,
          "\(what): \(model) \(record.key) is noted twice")
        try expect(
          record.kind == .modification || record.properties == .all,
          "\(what): a new or deleted record without all of its properties")
      }
      found.updateValue(byKey, forKey: model)
    }
    try expectEqual(found, expected, what)
  }

  static let owner = ModelDescription(
    "Owner", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .text), PropertyDescription("note", .any, isOptional: true),
    ])
  static let pet = ModelDescription(
    "Pet", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text),
      PropertyDescription("code", .integer, isOptional: true),
      PropertyDescription(
        "owner", .text, isOptional: true,
        reference: ReferenceDescription(to: "Owner", onDelete: .cascade)),
      PropertyDescription(
        "friend", .integer, isOptional: true,
        reference: ReferenceDescription(to: "Pet", onDelete: .nullify)),
    ], indexes: [IndexDescription(["code"], isUnique: true)])
  static let toy = ModelDescription(
    "Toy", primaryKey: [ListDescription.owner, ListDescription.position],
    properties: [
      PropertyDescription(
        ListDescription.owner, .integer,
        reference: ReferenceDescription(to: "Pet", onDelete: .cascade)),
      PropertyDescription(ListDescription.position, .integer),
      PropertyDescription(ListDescription.element, .integer),
      PropertyDescription("value", .text),
    ])
  static let tag = ModelDescription(
    "Tag", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer),
      PropertyDescription(
        "pet", .integer, reference: ReferenceDescription(to: "Pet", onDelete: .deny)),
    ])
  static let owners = ModelLayout(owner)
  static let pets = ModelLayout(pet)
  static let toys = ModelLayout(toy)
  static let tags = ModelLayout(tag)

  static func filled(_ bench: ConformanceBench) throws -> any StorageEngine {
    let engine = try bench.make(owner, pet, toy, tag)
    try bench.write(engine) { transaction in
      try transaction.put(owners, ["ann", 1])
      try transaction.put(owners, ["bob", .null])
      try transaction.put(pets, [1, "one", 10, "ann", .null])
      try transaction.put(pets, [2, "two", 20, "ann", 1])
      try transaction.put(pets, [3, "three", .null, "bob", 1])
      try transaction.put(pets, [4, "four", .null, .null, 4])
      for place in 0..<3 {
        try transaction.put(toys, [1, .integer(Int64(place)), .integer(Int64(place + 1)), "x"])
      }
      try transaction.put(toys, [3, 0, 1, "y"])
      try transaction.put(tags, [1, 4])
    }
    return engine
  }

  static func pair(_ first: StoredValue, _ second: StoredValue) -> RecordKey {
    RecordKey(first: first, rest: [second])
  }
}
