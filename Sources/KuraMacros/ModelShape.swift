import SwiftSyntax
import SwiftSyntaxBuilder

/// What a struct with `@Model` says, and what is wrong with it.
struct ModelShape {
  let name: String
  private(set) var properties: [ModelProperty] = []
  private(set) var key: [ModelProperty] = []
  private(set) var indexes: [(names: [String], isUnique: Bool)] = []
  let renamedFrom: String?
  private(set) var findings: [Finding] = []

  var columns: [ModelProperty] { properties.filter { $0.kind == .column } }
  var lists: [ModelProperty] { properties.filter { $0.kind == .list } }

  init(_ declaration: StructDeclSyntax, _ attribute: AttributeSyntax) {
    let arguments = AttributeArguments(attribute)
    name = arguments.text(nil) ?? declaration.name.text.trimmingBackquotes
    renamedFrom = arguments.text("renamedFrom")
    if let generics = declaration.genericParameterClause {
      findings.append(Finding("a model cannot be generic", at: generics))
    }
    for member in declaration.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored else {
        continue
      }
      read(variable)
    }
    checkNames()
    readKey(arguments, declaration, attribute)
    for property in properties where property.isIndexed || property.isUnique {
      add([property.name], isUnique: property.isUnique)
    }
    for (label, isUnique) in [("indexes", false), ("unique", true)] {
      for list in arguments.lists(label) {
        let names = list.map(\.text)
        let isKnown = list.map { find($0, "\(label):") != nil }
        if !isKnown.contains(false) { add(names, isUnique: isUnique) }
      }
    }
  }

  private mutating func add(_ names: [String], isUnique: Bool) {
    if !indexes.contains(where: { $0.names == names && $0.isUnique == isUnique }) {
      indexes.append((names, isUnique))
    }
  }

  // MARK: Properties

  private mutating func read(_ variable: VariableDeclSyntax) {
    let attributes = variable.attributes
    let isTransient = attributes.attribute("Transient") != nil
    for (place, binding) in variable.bindings.enumerated() {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        findings.append(
          Finding("a model's property needs a declaration of its own", at: binding.pattern))
        continue
      }
      let name = pattern.identifier.text.trimmingBackquotes
      // `var a, b: Int` has the type at the last one only.
      let annotation =
        binding.typeAnnotation
        ?? (binding.initializer == nil
          ? variable.bindings.dropFirst(place).lazy.compactMap(\.typeAnnotation).first : nil)
      let type = annotation?.type ?? binding.initializer?.value.impliedType
      if isTransient {
        if binding.initializer == nil, type?.wrapped == nil || variable.isLet {
          findings.append(
            Finding(
              "\"\(name)\" is left out of the model and needs a default value", at: pattern))
        }
        continue
      }
      guard let type else {
        findings.append(
          Finding("\"\(name)\" needs a type to be a property of a model", at: pattern))
        continue
      }
      if let impossible = type.impossible {
        findings.append(
          Finding(
            "\"\(name)\" is \(impossible), which a store cannot keep", at: annotation?.type ?? type,
            transient(variable)))
        continue
      }
      if variable.isLet, let initializer = binding.initializer {
        findings.append(
          Finding(
            "\"\(name)\" is a constant with a value, which a record that is read cannot replace",
            at: initializer,
            .replacing(
              variable.bindingSpecifier, with: TokenSyntax.keyword(.var), "use var"),
            transient(variable)))
        continue
      }
      append(name, type, variable, pattern, binding.initializer?.value)
    }
  }

  private func transient(_ variable: VariableDeclSyntax) -> Finding.Mend {
    .replacing(variable, with: variable.marked("Transient"), "leave it out with @Transient")
  }

  private mutating func append(
    _ name: String, _ type: TypeSyntax, _ variable: VariableDeclSyntax,
    _ pattern: IdentifierPatternSyntax, _ value: ExprSyntax?
  ) {
    let attributes = variable.attributes
    let isList = type.baseName == "ReferenceList"
    let bare = type.wrapped ?? type
    let relation = attributes.attribute("Relation")
    if let relation, !["Reference", "ReferenceList"].contains(bare.baseName) {
      findings.append(
        Finding(
          "@Relation is for references, and \"\(name)\" is \(type.trimmedDescription)",
          at: relation, .removing(relation)))
    }
    if bare.baseName == "ReferenceList", type.wrapped != nil {
      findings.append(
        Finding(
          "a list is empty and never missing", at: type,
          .replacing(type, with: bare, "make it not optional")))
    }
    for mark in ["PrimaryKey", "Indexed", "Unique"] {
      guard let attribute = attributes.attribute(mark), isList || type.isCollection else {
        continue
      }
      findings.append(
        Finding(
          "@\(mark) does not work on a \(isList ? "list of references" : "collection")",
          at: attribute, .removing(attribute)))
    }
    properties.append(
      ModelProperty(
        name: name, type: type, kind: isList ? .list : .column,
        isKey: attributes.attribute("PrimaryKey") != nil,
        isIndexed: attributes.attribute("Indexed") != nil,
        isUnique: attributes.attribute("Unique") != nil,
        onDelete: relation.flatMap { AttributeArguments($0).expression("onDelete") },
        renamedFrom: attributes.attribute("Renamed")
          .flatMap { AttributeArguments($0).text("from") },
        defaultValue: value.flatMap { $0.storedLiteral(of: type) }, variable: variable,
        pattern: pattern))
  }

  private mutating func checkNames() {
    var seen: [String: String] = [:]
    for property in properties {
      if let other = seen.updateValue(property.name, forKey: property.name.lowercased()) {
        findings.append(
          Finding(
            "\"\(property.name)\" and \"\(other)\" differ in letter case only, which names in a "
              + "store must not", at: property.pattern))
      }
    }
  }

  // MARK: Key

  private mutating func readKey(
    _ arguments: AttributeArguments, _ declaration: StructDeclSyntax, _ attribute: AttributeSyntax
  ) {
    let marked = properties.filter(\.isKey)
    let named = arguments.list("primaryKey")
    if let first = marked.first, !named.isEmpty {
      findings.append(
        Finding("the primary key is declared twice", at: first.pattern, marker(first, remove: true))
      )
    }
    if marked.count > 1 {
      let names = marked.map { "\"\($0.name)\"" }.joined(separator: ", ")
      findings.append(
        Finding(
          "a key of several properties is declared as @Model(primaryKey: [\(names)])",
          at: marked[1].pattern))
    }
    key = named.isEmpty ? marked : named.compactMap { find($0, "primaryKey:") }
    guard !key.isEmpty || !named.isEmpty else {
      let mend: Finding.Mend? =
        if let id = properties.first(where: { $0.name == "id" && !$0.isOptional }) {
          marker(id, remove: false)
        } else {
          insertion(declaration)
        }
      findings.append(
        Finding(
          "the model has no primary key", at: declaration.name, mend))
      return
    }
    for property in key where property.isOptional {
      findings.append(
        Finding(
          "the key \"\(property.name)\" cannot be optional", at: property.type,
          property.type.wrapped.map {
            .replacing(property.type, with: $0, "make it not optional")
          }))
    }
    if key.count > 1 {
      for list in lists {
        findings.append(
          Finding("a model with a key of several properties has no lists", at: list.pattern))
      }
    }
  }

  private func marker(_ property: ModelProperty, remove: Bool) -> Finding.Mend? {
    guard !remove else {
      return property.variable.attributes.attribute("PrimaryKey").map { .removing($0) }
    }
    return .replacing(
      property.variable, with: property.variable.marked("PrimaryKey"),
      "make \"\(property.name)\" the primary key")
  }

  private func insertion(_ declaration: StructDeclSyntax) -> Finding.Mend {
    var members = declaration.memberBlock
    let id: DeclSyntax = "@PrimaryKey var id = ObjectID()"
    let first = MemberBlockItemSyntax(
      decl: id, trailingTrivia: members.members.isEmpty ? .newline : []
    )
    .with(\.leadingTrivia, members.members.first?.leadingTrivia.indentation ?? .newline)
    members.members = MemberBlockItemListSyntax([first] + Array(members.members))
    return .replacing(declaration.memberBlock, with: members, "add @PrimaryKey var id = ObjectID()")
  }

  private mutating func find(_ name: AttributeArguments.Name, _ place: String) -> ModelProperty? {
    if let property = columns.first(where: { $0.name == name.text }) { return property }
    let known = columns.map(\.name).joined(separator: ", ")
    findings.append(
      Finding("\(place) names \"\(name.text)\"; the properties are \(known)", at: name.node))
    return nil
  }
}

extension VariableDeclSyntax {
  /// Whether the variable keeps a value in each instance.
  fileprivate var isStored: Bool {
    let words = modifiers.map(\.name.text)
    guard !words.contains("static"), !words.contains("class"), !words.contains("lazy") else {
      return false
    }
    return bindings.contains { binding in
      switch binding.accessorBlock?.accessors {
      case nil: true
      case .getter: false
      case .accessors(let list):
        list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      @unknown default: false
      }
    }
  }

  fileprivate var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }
}

extension VariableDeclSyntax {
  /// The declaration with an attribute more, before all others.
  fileprivate func marked(_ name: String) -> VariableDeclSyntax {
    var new = trimmed
    let attribute = AttributeSyntax("@\(raw: name)").with(\.trailingTrivia, .space)
    new.attributes = AttributeListSyntax([.attribute(attribute)] + Array(new.attributes))
    return new
  }
}

extension Trivia {
  /// The last line break and the spaces after it.
  fileprivate var indentation: Trivia {
    var kept: [TriviaPiece] = []
    for piece in reversed() {
      kept.insert(piece, at: 0)
      if case .newlines = piece { break }
    }
    return Trivia(pieces: kept)
  }
}

extension String {
  /// The name without backquotes.
  var trimmingBackquotes: String {
    hasPrefix("`") && hasSuffix("`") && count > 1 ? String(dropFirst().dropLast()) : self
  }
}
