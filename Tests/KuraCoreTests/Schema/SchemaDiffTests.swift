import Testing

@testable import KuraCore

@Suite struct SchemaDiffTests {
  private func diff(_ change: (inout ModelDescription) -> Void) throws -> SchemaDiff {
    SchemaDiff(
      from: try Schema(version: 1, [SchemaTests.owner, SchemaTests.dog]),
      to: try Schema(version: 2, [SchemaTests.owner, SchemaTests.dog(change)]))
  }

  @Test("a schema does not differ from itself")
  func same() throws {
    let diff = try diff { _ in }
    #expect(diff.isEmpty && diff.isAdditive && diff.description.isEmpty)
  }

  @Test("models that come and go are named")
  func models() throws {
    let one = try Schema(version: 1, [SchemaTests.owner])
    let two = try Schema(version: 1, [SchemaTests.owner, SchemaTests.dog])
    let added = SchemaDiff(from: one, to: two)
    #expect(added.changes == [.modelAdded(SchemaTests.dog)] && added.isAdditive)
    #expect(added.description == "+ model Dog")
    let removed = SchemaDiff(from: two, to: one)
    #expect(removed.description == "- model Dog" && !removed.isAdditive)
  }

  @Test("each change has its line, and only what old records can do without is additive")
  func lines() throws {
    let expected: [(String, Bool, (inout ModelDescription) -> Void)] = [
      (
        "+ Dog.color: text?", true,
        { $0.properties.append(.init("color", .text, isOptional: true)) }
      ),
      (
        "+ Dog.color: text with a default", true,
        { $0.properties.append(.init("color", .text, defaultValue: "brown")) }
      ),
      ("+ Dog.color: text", false, { $0.properties.append(.init("color", .text)) }),
      ("- Dog.weight: double?", false, { $0.properties.remove(at: 2) }),
      ("~ Dog.weight: double? -> weight: integer?", false, { $0.properties[2].type = .integer }),
      ("~ Dog.weight: double? -> weight: double", false, { $0.properties[2].isOptional = false }),
      (
        "~ Dog.name: text with a default -> name: text", false,
        { $0.properties[1].defaultValue = nil }
      ),
      (
        "~ Dog.owner: integer? -> Owner (nullify) -> owner: integer?", false,
        { $0.properties[3].reference = nil }
      ),
      ("- Dog index (name)", false, { $0.indexes = [] }),
      ("+ Dog index (weight)", true, { $0.indexes.append(.init(["weight"])) }),
      (
        "+ Dog unique index (weight)", false,
        { $0.indexes.append(.init(["weight"], isUnique: true)) }
      ),
      (
        "~ Dog primary key (id) -> (id, name)\n~ Dog.name: text with a default -> name: text",
        false,
        {
          $0.properties[1].defaultValue = nil
          $0.primaryKey = ["id", "name"]
        }
      ),
    ]
    for (lines, isAdditive, change) in expected {
      let diff = try diff(change)
      #expect(
        Set(diff.description.split(separator: "\n")) == Set(lines.split(separator: "\n")),
        "\(lines)")
      #expect(diff.isAdditive == isAdditive, "\(lines)")
    }
  }

  @Test("a default's content is never shown")
  func defaultsStayPrivate() throws {
    let diff = try diff { $0.properties[1].defaultValue = "a secret" }
    #expect(!diff.isEmpty && !diff.description.contains("secret"))
  }

  @Test("a probable rename is a hint when it is the only one")
  func renames() throws {
    let renamed = try diff { $0.properties[2].name = "mass" }
    #expect(renamed.renameHints == ["? Dog.weight may have been renamed to Dog.mass"])
    #expect(!renamed.isAdditive)
    let ambiguous = try diff {
      $0.properties[2].name = "mass"
      $0.properties.append(.init("size", .double, isOptional: true))
    }
    #expect(ambiguous.renameHints.isEmpty)
    let otherType = try diff {
      $0.properties[2].name = "mass"
      $0.properties[2].type = .text
    }
    #expect(otherType.renameHints.isEmpty)
    var person = SchemaTests.owner
    person.name = "Person"
    let model = SchemaDiff(
      from: try Schema(version: 1, [SchemaTests.owner]), to: try Schema(version: 1, [person]))
    #expect(model.renameHints == ["? model Owner may have been renamed to Person"])
  }
}
