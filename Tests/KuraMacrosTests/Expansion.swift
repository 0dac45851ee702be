import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import KuraMacros

/// A source with its macros expanded, and what they found wrong.
struct Expansion {
  /// The source after the expansion.
  let text: String
  /// The findings in order.
  let diagnostics: [Diagnostic]
  private let source: SourceFileSyntax

  init(_ source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    let markers = ["PrimaryKey", "Indexed", "Unique", "Relation", "Renamed", "Transient"]
    var macros: [String: any Macro.Type] = ["Model": Conforming.self]
    for marker in markers { macros[marker] = MarkerMacro.self }
    let expanded = file.expand(
      macros: macros,
      contextGenerator: {
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2))
    text = expanded.description
    diagnostics = context.diagnostics
    self.source = file
  }

  /// What is wrong.
  var messages: [String] { diagnostics.map(\.message) }

  /// The source after the first mend of the first finding.
  var mended: String? {
    guard let fix = diagnostics.first?.fixIts.first else { return nil }
    var text = source.description
    for change in fix.changes.reversed() {
      guard case .replace(let old, let new) = change else { return nil }
      let utf8 = Array(text.utf8)
      let range = old.position.utf8Offset..<old.endPosition.utf8Offset
      let result = utf8[..<range.lowerBound] + new.description.utf8 + utf8[range.upperBound...]
      text = String(decoding: result, as: UTF8.self)
    }
    return text
  }

  /// The titles of the first finding's mends.
  var titles: [String] { diagnostics.first?.fixIts.map(\.message.message) ?? [] }
}

/// `ModelMacro` as the compiler calls it: with the protocols that the type does not conform to yet.
private enum Conforming: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    try ModelMacro.expansion(
      of: node, attachedTo: declaration, providingExtensionsOf: type,
      conformingTo: [
        TypeSyntax(IdentifierTypeSyntax(name: "Model")),
        TypeSyntax(IdentifierTypeSyntax(name: "Identifiable")),
      ], in: context)
  }
}

extension SyntaxProtocol {
  /// The declarations around the node, the innermost first.
  fileprivate func allMacroLexicalContexts() -> [Syntax] {
    var contexts: [Syntax] = []
    var node = parent
    while let current = node {
      if current.isProtocol((any DeclGroupSyntax).self) {
        contexts.append(Syntax(current.detached))
      }
      node = current.parent
    }
    return contexts
  }
}
