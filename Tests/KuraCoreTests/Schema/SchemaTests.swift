import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct SchemaTests {
  static let owner = ModelDescription(
    "Owner", primaryKey: ["id"], properties: [PropertyDescription("id", .integer)])
  static let dog = ModelDescription(
    "Dog", primaryKey: ["id"],
    properties: [
      PropertyDescription("id", .integer), PropertyDescription("name", .text, defaultValue: "Rex"),
      PropertyDescription("weight", .double, isOptional: true),
      PropertyDescription(
        "owner", .integer, isOptional: true,
        reference: ReferenceDescription(to: "Owner", onDelete: .nullify)),
    ], indexes: [IndexDescription(["name"])])

  /// The dog's model with one thing changed.
  static func dog(_ change: (inout ModelDescription) -> Void) -> ModelDescription {
    var copy = dog
    change(&copy)
    return copy
  }

  @Test("a sound schema is made, its models ordered by name")
  func sound() throws {
    let schema = try Schema(version: 3, [Self.owner, Self.dog])
    #expect(schema.models.map(\.name) == ["Dog", "Owner"])
    #expect(schema.model(named: "Dog") == Self.dog)
    #expect(schema.model(named: "dog") == nil)
    _ = try Schema(version: Int(Int32.max), [])
  }

  @Test("each contradiction is refused with its code and the name in it")
  func contradictions() throws {
    let wrong: [([ModelDescription], StoreError.Code, String)] = [
      ([Self.owner, Self.owner], .invalidName, "twice"),
      ([Self.owner, Self.renamed("OWNER")], .invalidName, "twice"),
      ([Self.renamed("")], .invalidName, "no name"),
      ([Self.renamed(String(repeating: "é", count: 128))], .invalidName, "256 bytes"),
      ([Self.renamed("a\u{0}b")], .invalidName, "control"),
      ([Self.renamed("kura_meta")], .invalidName, "reserved"),
      ([Self.renamed("SQLite_master")], .invalidName, "reserved"),
      ([ModelDescription("A", primaryKey: ["id"], properties: [])], .invalidSchema, "0 properties"),
      ([Self.changed { $0.primaryKey = [] }], .invalidSchema, "primary key"),
      ([Self.changed { $0.primaryKey = ["di"] }], .invalidSchema, "did you mean \"id\"?"),
      ([Self.changed { $0.primaryKey = ["id", "id"] }], .invalidSchema, "twice"),
      ([Self.changed { $0.primaryKey = ["weight"] }], .invalidSchema, "optional"),
      ([Self.changed { $0.primaryKey = ["name"] }], .invalidSchema, "default"),
      ([Self.changed { $0.properties[0].type = .json }], .invalidSchema, "json"),
      ([Self.changed { $0.properties[0].type = .any }], .invalidSchema, "any"),
      (
        [Self.changed { $0.properties.append(PropertyDescription("ID", .text)) }], .invalidName,
        "twice"
      ),
      ([Self.changed { $0.properties[1].defaultValue = 5 }], .invalidSchema, "name"),
      ([Self.changed { $0.properties[1].defaultValue = .null }], .invalidSchema, "name"),
      ([Self.changed { $0.properties[2].defaultValue = .double(.nan) }], .invalidSchema, "weight"),
      ([Self.changed { $0.indexes = [IndexDescription([])] }], .invalidSchema, "index"),
      ([Self.changed { $0.indexes = [IndexDescription(["nam"])] }], .invalidSchema, "nam"),
      (
        [Self.changed { $0.indexes = [IndexDescription(["name", "name"])] }], .invalidSchema,
        "twice"
      ),
      ([Self.changed { $0.indexes += $0.indexes }], .invalidSchema, "twice"),
      ([Self.dog], .invalidSchema, "Owner"),
      (
        [Self.owner, Self.dog { $0.properties[3].type = .text }], .invalidSchema,
        "text but the key of \"Owner\" is integer"
      ),
      ([Self.owner, Self.dog { $0.properties[3].isOptional = false }], .invalidSchema, "optional"),
    ]
    for (models, code, part) in wrong {
      let error = #expect(throws: StoreError.self) { try Schema(version: 1, models) }
      #expect(error?.code == code, "\(String(describing: error))")
      #expect(error?.description.contains(part) == true, "\(part): \(String(describing: error))")
    }
    for version in [0, -1, Int(Int32.max) + 1, .max] {
      let error = #expect(throws: StoreError.self) { try Schema(version: version, []) }
      #expect(error?.code == .invalidSchema)
    }
    let composite = ModelDescription(
      "Owner", primaryKey: ["a", "b"],
      properties: [PropertyDescription("a", .integer), PropertyDescription("b", .integer)])
    let error = #expect(throws: StoreError.self) { try Schema(version: 1, [composite, Self.dog]) }
    #expect(error?.message.contains("composite") == true)
  }

  private static func renamed(_ name: String) -> ModelDescription {
    var copy = owner
    copy.name = name
    return copy
  }

  /// The dog's model without its reference and with one thing changed.
  private static func changed(_ change: (inout ModelDescription) -> Void) -> ModelDescription {
    dog {
      $0.properties[3].reference = nil
      change(&$0)
    }
  }

  @Test("a thousand properties are the limit")
  func propertyCount() throws {
    func model(_ count: Int) -> ModelDescription {
      ModelDescription(
        "M", primaryKey: ["p0"],
        properties: (0..<count).map { PropertyDescription("p\($0)", .integer) })
    }
    _ = try Schema(version: 1, [model(1000)])
    #expect(throws: StoreError.self) { try Schema(version: 1, [model(1001)]) }
  }

  @Test("the canonical JSON is the one written down here, and comes back")
  func canonicalJSON() throws {
    let schema = try Schema(version: 3, [Self.owner, Self.dog])
    #expect(
      schema.canonicalJSON
        == #"{"format":1,"models":[{"indexes":[{"isUnique":false,"properties":["name"]}],"#
        + #""name":"Dog","primaryKey":["id"],"properties":[{"name":"id","type":"integer"},"#
        + #"{"default":{"text":"Rex"},"name":"name","type":"text"},"#
        + #"{"name":"weight","optional":true,"type":"double"},"#
        + #"{"name":"owner","optional":true,"reference":{"onDelete":"nullify","target":"Owner"},"#
        + #""type":"integer"}]},"#
        + #"{"name":"Owner","primaryKey":["id"],"properties":[{"name":"id","type":"integer"}]}],"#
        + #""version":3}"#)
    #expect(try Schema(json: schema.canonicalJSON) == schema)
  }

  @Test("defaults of every type come back exactly")
  func defaults() throws {
    let values: [(ValueType, StoredValue)] = [
      (.bool, true), (.integer, .integer(.min)), (.double, .double(0.1 + 0.2)),
      (.double, .double(-0.0)), (.double, .double(.infinity)),
      (.double, .double(.leastNonzeroMagnitude)),
      (.decimal, .decimal(1)), (.text, "\"\\\u{1F95A}\u{0}"), (.data, .data([0, 255])),
      (.date, Timestamp(seconds: 5, nanoseconds: 1).map { .date($0) } ?? .null),
      (.objectID, .objectID(ObjectID())), (.any, 5), (.json, "{}"),
    ]
    var properties = values.enumerated().map {
      PropertyDescription("p\($0)", $1.0, defaultValue: $1.1)
    }
    properties.append(PropertyDescription("id", .integer))
    let schema = try Schema(
      version: 1, [ModelDescription("M", primaryKey: ["id"], properties: properties)])
    let read = try Schema(json: schema.canonicalJSON)
    #expect(read == schema)
    #expect(read.canonicalJSON == schema.canonicalJSON)
    if case .double(let zero)? = read.models[0].properties[3].defaultValue {
      #expect(zero.sign == .minus)
    }
  }

  @Test("equal logical schemas have equal fingerprints, others have not")
  func fingerprint() throws {
    let schema = try Schema(version: 3, [Self.owner, Self.dog])
    let reordered = try Schema(
      version: 9, [Self.dog { $0.properties.reverse() }, Self.owner])
    #expect(reordered.fingerprint == schema.fingerprint)
    #expect(SchemaDiff(from: schema, to: reordered).isEmpty)
    let withoutNull = try Schema(
      version: 1, [Self.owner, Self.dog { $0.properties[2].defaultValue = .null }])
    #expect(withoutNull.fingerprint == schema.fingerprint)
    #expect(SchemaDiff(from: schema, to: withoutNull).isEmpty)
    // `printf '…' | sha256sum` over the model's canonical JSON and a newline.
    #expect(
      try Schema(version: 1, [Self.owner]).fingerprint
        == "6f59710b286bf27eb02eb40e9cc5ba499c4a2e7a6853d288f3d42a6fbcb2cccc")
    let changes: [(inout ModelDescription) -> Void] = [
      { $0.properties[1].defaultValue = "Max" }, { $0.properties[1].defaultValue = nil },
      { $0.properties[1].isOptional = true }, { $0.properties[2].type = .integer },
      { $0.indexes = [] }, { $0.indexes[0].isUnique = true }, { $0.properties[2].name = "mass" },
      { $0.properties[3].reference?.onDelete = .deny }, { $0.properties[2].defaultValue = 0.0 },
      { $0.properties[2].defaultValue = -0.0 },
    ]
    var fingerprints: Set = [schema.fingerprint]
    for change in changes {
      let other = try Schema(version: 3, [Self.owner, Self.dog(change)])
      #expect(fingerprints.insert(other.fingerprint).inserted)
      #expect(!SchemaDiff(from: schema, to: other).isEmpty)
    }
    let one = try Schema(version: 1, [Self.owner, Self.dog { $0.properties[2].defaultValue = 1 }])
    let same = try Schema(
      version: 1, [Self.owner, Self.dog { $0.properties[2].defaultValue = 1.0 }])
    #expect(one.fingerprint == same.fingerprint && SchemaDiff(from: one, to: same).isEmpty)
    let zero = try Schema(
      version: 1, [Self.owner, Self.dog { $0.properties[2].defaultValue = 0.0 }])
    let minus = try Schema(
      version: 1, [Self.owner, Self.dog { $0.properties[2].defaultValue = -0.0 }])
    #expect(!SchemaDiff(from: zero, to: minus).isEmpty)
  }

  @Test(
    "hostile JSON is an error that says where",
    arguments: [
      ("", ""), ("{", ""), ("[]", ""), ("null", ""), ("{}", "format"),
      (#"{"format":2,"version":1,"models":[]}"#, "newer"),
      (#"{"format":1,"version":1}"#, "models"),
      (#"{"format":1,"version":0,"models":[]}"#, "positive"),
      (#"{"format":1,"version":1e30,"models":[]}"#, ""),
      (#"{"format":1,"version":"1","models":[]}"#, "version"),
      (#"{"format":1,"version":1,"models":[],"modles":[]}"#, "modles"),
      (
        #"{"format":1,"version":1,"models":[{"name":"A","primaryKey":["id"],"properties":[{"name":"id","type":"integer","opional":true}]}]}"#,
        "did you mean \"optional\"?"
      ),
      (
        #"{"format":1,"version":1,"models":[{"name":"A","primaryKey":["id"],"properties":[{"name":"id","type":"int"}]}]}"#,
        "models.[0].properties.[0].type"
      ),
      (
        #"{"format":1,"version":1,"models":[{"name":"A","primaryKey":["id"],"properties":[{"name":"id","type":"integer"}],"indexes":[{"properties":["id"],"unique":true}]}]}"#,
        "unique"
      ),
      (
        #"{"format":1,"version":1,"models":[{"name":"A","primaryKey":["id"],"properties":[{"name":"id","type":"integer","default":{"integer":"x"}}]}]}"#,
        "default"
      ),
      (
        #"{"format":1,"version":1,"models":[{"name":"kura_a","primaryKey":["id"],"properties":[{"name":"id","type":"integer"}]}]}"#,
        "reserved"
      ),
    ])
  func hostileJSON(json: String, part: String) {
    let error = #expect(throws: StoreError.self) { try Schema(json: json) }
    #expect(error?.description.contains(part) == true, "\(String(describing: error))")
  }

  @Test("deep, large and cut JSON is an error and no crash")
  func deepJSON() throws {
    for depth in [100, 1000, 100_000] {
      let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(throws: StoreError.self) { try Schema(json: nested) }
      #expect(throws: StoreError.self) {
        try Schema(json: #"{"format":1,"models":\#(nested),"version":1}"#)
      }
    }
    #expect(throws: StoreError.self) { try Schema(json: String(repeating: " ", count: 17 << 20)) }
    let sound = try Schema(version: 3, [Self.owner, Self.dog]).canonicalJSON
    for length in stride(from: 0, to: sound.count - 1, by: 3) {
      #expect(throws: StoreError.self) { try Schema(json: String(sound.prefix(length))) }
    }
  }
}
