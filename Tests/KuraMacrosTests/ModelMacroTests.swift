import Testing

/// What `@Model` writes and what it refuses.
@Suite struct ModelMacroTests {
  @Test func `a model with everything is written in full`() {
    let expansion = Expansion(
      """
      @Model("dog", unique: [["name", "age"]], renamedFrom: "Hound") public struct Dog {
        @PrimaryKey var id = ObjectID()
        @Indexed public var name: String = "x\\n"
        var age: Int?, weight = -1.5
        @Relation(onDelete: .deny) var owner: Reference<Person>?
        @Relation(onDelete: .cascade) var toys: ReferenceList<Toy>
        @Renamed(from: "memo") var `default`: [String: Int]
        @Transient var isSelected = false
        var title: String { name }
        static let count = 3
        lazy var slow = 5
      }
      """)
    #expect(expansion.messages == [])
    for line in [
      "extension Dog: Model, Identifiable {",
      "public typealias Key = ObjectID",
      #"public let `default` = Dog.modelProperty("default", ([String: Int]).self)"#,
      #"public nonisolated static let modelName = "dog""#,
      #"properties.append(.of("id", (ObjectID).self))"#,
      #"properties.append(.of("name", (String).self, default: .text("x\n")))"#,
      #"properties.append(.of("age", (Int?).self))"#,
      #"properties.append(.of("weight", (Double).self, default: .double(-1.5)))"#,
      #"properties.append(.of("owner", (Reference<Person>?).self, onDelete: .deny))"#,
      #"properties.append(.of("default", ([String: Int]).self))"#,
      #"primaryKey: ["id"], properties: properties, indexes: [IndexDescription(["name"]), IndexDescription(["name", "age"], isUnique: true)])"#,
      #"[ModelList("toys", (ReferenceList<Toy>).self, onDelete: .cascade)]"#,
      #"[ModelRename(property: "default", from: "memo"), ModelRename(modelFrom: "Hound")]"#,
      "public nonisolated var modelKey: Key {",
      "self.`default` = try row.read(5, as: ([String: Int]).self)",
      "self.toys = try row.list(0, as: (ReferenceList<Toy>).self)",
      "try row.write(`default`, at: 5)",
      "try row.write(toys, list: 0)",
    ] { #expect(expansion.text.contains(line), "\(line) in\n\(expansion.text)") }
    for word in ["isSelected\"", "\"title\"", "\"count\"", "\"slow\""] {
      #expect(!expansion.text.contains(word))
    }
  }

  @Test func `a key of several properties is a type of its own`() {
    let expansion = Expansion(
      """
      @Model(primaryKey: ["team", "number"]) struct Member {
        var team: String
        var number: Int
      }
      """)
    #expect(expansion.messages == [])
    for line in [
      "struct Key: ModelKey {",
      "RecordKey(first: try team.storedValue(), rest: [try number.storedValue()])",
      "let team = String(storedValue: values[0])", "Key(team: team, number: number)",
    ] { #expect(expansion.text.contains(line), "\(line) in\n\(expansion.text)") }
    #expect(!expansion.text.contains("Identifiable"))
  }

  /// A declaration, what is wrong with it, and the declaration after the first mend.
  struct Fault: CustomTestStringConvertible {
    let source: String
    let message: String
    var mended: String?
    var testDescription: String { message }
  }

  static let faults = [
    Fault(
      source: "@Model struct A {\n  var id: Int\n}", message: "the model has no primary key",
      mended: "@Model struct A {\n  @PrimaryKey var id: Int\n}"),
    Fault(
      source: "@Model struct A {\n  var name: String\n}", message: "the model has no primary key",
      mended: "@Model struct A {\n  @PrimaryKey var id = ObjectID()\n  var name: String\n}"),
    Fault(
      source: "@Model final class A {\n  @PrimaryKey var id: Int\n}",
      message:
        "a model is a struct: records are values that cross threads and outlive deletions",
      mended: "@Model final struct A {\n  @PrimaryKey var id: Int\n}"),
    Fault(
      source: "@Model struct A<T> {\n  @PrimaryKey var id: Int\n}",
      message: "a model cannot be generic"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int?\n}",
      message: "the key \"id\" cannot be optional",
      mended: "@Model struct A {\n  @PrimaryKey var id: Int\n}"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  @PrimaryKey var b: Int\n}",
      message:
        "a key of several properties is declared as @Model(primaryKey: [\"id\", \"b\"])"),
    Fault(
      source: "@Model(primaryKey: [\"id\", \"c\"]) struct A {\n  var id: Int\n}",
      message: "primaryKey: names \"c\"; the properties are id"),
    Fault(
      source: "@Model(primaryKey: [\"id\"]) struct A {\n  @PrimaryKey var id: Int\n}",
      message: "the primary key is declared twice"),
    Fault(
      source: "@Model(unique: [[\"x\"]]) struct A {\n  @PrimaryKey var id: Int\n}",
      message: "unique: names \"x\"; the properties are id"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var f: () -> Void\n}",
      message: "\"f\" is a function, which a store cannot keep",
      mended: "@Model struct A {\n  @PrimaryKey var id: Int\n  @Transient var f: () -> Void\n}"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var t: (Int, Int)\n}",
      message: "\"t\" is a tuple, which a store cannot keep"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a: any P\n}",
      message: "\"a\" is a value of the type any P, which a store cannot keep"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a: Int??\n}",
      message: "\"a\" is an optional of an optional, which a store cannot keep"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a = make()\n}",
      message: "\"a\" needs a type to be a property of a model"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  let a: Int = 5\n}",
      message: "\"a\" is a constant with a value, which a record that is read cannot replace",
      mended: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a: Int = 5\n}"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  @Transient var a: Int\n}",
      message: "\"a\" is left out of the model and needs a default value"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var name: Int\n  var Name: Int\n}",
      message:
        "\"Name\" and \"name\" differ in letter case only, which names in a store must not"),
    Fault(
      source:
        "@Model struct A {\n  @PrimaryKey var id: Int\n  @Relation(onDelete: .deny) var a: Int\n}",
      message: "@Relation is for references, and \"a\" is Int"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  @Indexed var a: [Int]\n}",
      message: "@Indexed does not work on a collection"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a: ReferenceList<B>?\n}",
      message: "a list is empty and never missing",
      mended: "@Model struct A {\n  @PrimaryKey var id: Int\n  var a: ReferenceList<B>\n}"),
    Fault(
      source: "@Model struct A {\n  @PrimaryKey var id: Int\n  var (a, b) = (1, 2)\n}",
      message: "a model's property needs a declaration of its own"),
    Fault(
      source: "struct A {\n  @Indexed var a: Int\n}",
      message: "@Indexed marks properties of a struct with @Model"),
  ]

  @Test(arguments: faults) func `a fault is named, and mended where that is possible`(fault: Fault)
  {
    let expansion = Expansion(fault.source)
    #expect(expansion.messages == [fault.message])
    #expect(!expansion.text.contains("extension"))
    if let mended = fault.mended { #expect(expansion.mended == mended) }
  }
}
