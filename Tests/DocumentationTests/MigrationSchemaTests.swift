import Foundation
import Testing

@testable import KuraCore

/// `docs/migration.schema.json` says what the decoder accepts, no more and no less.
@Suite("docs/migration.schema.json")
struct MigrationSchemaTests {
  private let schema: [String: Any]
  private let definitions: [String: [String: Any]]

  init() throws {
    let data = Data(try RepositoryText.read("docs/migration.schema.json").utf8)
    schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    definitions = try #require(schema["$defs"] as? [String: [String: Any]])
  }

  @Test("has every operation with every member")
  func operations() throws {
    let names = definitions.keys.filter { $0.hasPrefix("op.") }.map { String($0.dropFirst(3)) }
    #expect(Set(names) == Set(MigrationOperation.Kind.allCases.map(\.rawValue)))
    let listed = try #require(definitions["operation"]?["oneOf"] as? [[String: String]])
    #expect(Set(listed.compactMap { $0["$ref"] }) == Set(names.map { "#/$defs/op." + $0 }))
    for kind in MigrationOperation.Kind.allCases {
      let properties = definitions["op." + kind.rawValue]?["properties"] as? [String: Any] ?? [:]
      #expect(Set(properties.keys) == Set(["op"] + kind.members.map(\.rawValue)), "\(kind)")
    }
  }

  @Test("has every word that a value may be")
  func words() {
    func words(_ name: String) -> Set<String> { Set(definitions[name]?["enum"] as? [String] ?? []) }
    #expect(words("type") == Set(ValueType.allCases.map(\.rawValue)))
    #expect(words("onFailure") == Set(MigrationFailurePolicy.allCases.map(\.rawValue)))
    #expect(words("objectKind") == Set(SQLObject.Kind.allCases.map(\.rawValue)))
    let change = definitions["change"]?["properties"] as? [String: [String: Any]]
    #expect(
      Set(change?["conversion"]?["enum"] as? [String] ?? [])
        == Set(ValueConversion.allCases.map(\.rawValue)))
  }

  @Test("everything that it allows is decoded, and comes out as it went in")
  func allowed() throws {
    let samples = samples(schema)
    #expect(samples.count > 100)
    for sample in samples {
      let text = try text(sample)
      let migration = try Migration(json: text)
      #expect(try Migration(json: migration.canonicalJSON) == migration, "\(text)")
    }
  }

  @Test("what it does not allow is refused")
  func refused() throws {
    let wrong = wrong(schema)
    #expect(wrong.count > 400)
    for sample in wrong {
      let text = try text(sample)
      #expect(throws: StoreError.self, "\(text)") {
        () throws in try Migration(json: text)
      }
    }
  }

  private func text(_ value: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed]), as: UTF8.self)
  }

  // MARK: Values that the schema allows

  /// Texts that are values of a type.
  private static let texts = [
    "integer": "42", "double": "0.5", "decimal": "19.90", "date": "2026-11-30T12:00:00Z",
    "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "objectID": "507f1f77bcf86cd799439011",
    "data": "00ff", "malformedText": "ff",
  ]

  private func resolved(_ node: [String: Any]) -> [String: Any] {
    guard let reference = node["$ref"] as? String else { return node }
    return definitions[String(reference.dropFirst("#/$defs/".count))] ?? [:]
  }

  /// Values with every member, each with each of its own values in turn, and with the least members.
  private func samples(_ unresolved: [String: Any]) -> [Any] {
    let node = resolved(unresolved)
    if let value = node["const"] { return [value] }
    if let values = node["enum"] as? [Any] { return values }
    if let parts = node["oneOf"] as? [[String: Any]] { return parts.flatMap(samples) }
    switch node["type"] as? String {
    case "string": return ["a"]
    case "integer": return [node["minimum"] ?? 1]
    case "boolean": return [true, false]
    case "array": return samples(node["items"] as? [String: Any] ?? [:]).map { [$0] }
    case "object": return objects(node)
    default: return [NSNull()]
    }
  }

  private func objects(_ node: [String: Any]) -> [Any] {
    guard let properties = node["properties"] as? [String: [String: Any]] else {
      return samples(node["additionalProperties"] as? [String: Any] ?? [:]).map { ["a": $0] }
    }
    let required = node["required"] as? [String] ?? []
    var full: [String: Any] = [:]
    for (name, part) in properties { full[name] = sample(name, part, alone: properties.count == 1) }
    var found: [Any] = [full, full.filter { required.contains($0.key) }]
    for (name, part) in properties where properties.count > 1 {
      for value in samples(part) {
        var changed = full
        changed[name] = value
        found.append(changed)
      }
    }
    return found
  }

  private func sample(_ name: String, _ part: [String: Any], alone: Bool) -> Any {
    if alone, let text = MigrationSchemaTests.texts[name] { return text }
    return samples(part)[0]
  }

  // MARK: Values that it does not allow

  /// Values with a member too few, one too many, or one of another kind, at every place.
  private func wrong(_ unresolved: [String: Any]) -> [Any] {
    let node = resolved(unresolved)
    if node["const"] != nil || node["enum"] != nil { return ["nonsense"] }
    if let parts = node["oneOf"] as? [[String: Any]] { return parts.flatMap(wrong) }
    switch node["type"] as? String {
    case "string": return [1]
    case "integer", "boolean": return ["nonsense"]
    case "array": return ["nonsense"] + wrong(node["items"] as? [String: Any] ?? [:]).map { [$0] }
    case "object": return wrongObjects(node)
    default: return []
    }
  }

  private func wrongObjects(_ node: [String: Any]) -> [Any] {
    guard let properties = node["properties"] as? [String: [String: Any]] else {
      return wrong(node["additionalProperties"] as? [String: Any] ?? [:]).map { ["a": $0] }
    }
    var full: [String: Any] = [:]
    for (name, part) in properties { full[name] = sample(name, part, alone: properties.count == 1) }
    var found: [Any] = ["nonsense", full.merging(["extra": 1]) { $1 }]
    for name in node["required"] as? [String] ?? [] {
      found.append(full.filter { $0.key != name })
    }
    for (name, part) in properties {
      for value in wrong(part) {
        var changed = full
        changed[name] = value
        found.append(changed)
      }
    }
    return found
  }
}
