import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Writes the conformance of a struct to `Model`.
enum ModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let structure = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(notAStruct(declaration, node).diagnostic)
      return []
    }
    let shape = ModelShape(structure, node)
    for finding in shape.findings { context.diagnose(finding.diagnostic) }
    guard shape.findings.isEmpty else { return [] }
    let text = ModelText(
      shape, type: type.trimmedDescription,
      access: structure.modifiers.first { ["public", "package"].contains($0.name.text) }
        .map { $0.name.text + " " } ?? "")
    let hasID = shape.properties.contains { $0.name == "id" }
    let names = protocols.map(\.trimmedDescription).filter { hasID || $0 != "Identifiable" }
    // Who wrote the conformance writes all of it.
    guard names.contains("Model") else { return [] }
    let source: DeclSyntax = """
      extension \(type.trimmed): \(raw: names.joined(separator: ", ")) {
      \(raw: text.members.joined(separator: "\n"))
      }
      """
    return [try ExtensionDeclSyntax(validating: source.cast(ExtensionDeclSyntax.self))]
  }

  private static func notAStruct(_ declaration: some DeclGroupSyntax, _ node: AttributeSyntax)
    -> Finding
  {
    let text = "a model is a struct: records are values that cross threads and outlive deletions"
    guard let type = declaration.as(ClassDeclSyntax.self) else { return Finding(text, at: node) }
    return Finding(
      text, at: type.classKeyword,
      .replacing(type.classKeyword, with: TokenSyntax.keyword(.struct), "use struct"))
  }
}
