import SwiftSyntax
import SwiftSyntaxMacros

/// A macro that only marks a property for `@Model`, and says so when it marks anything else.
enum MarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let isInModel = context.lexicalContext.first?.as(StructDeclSyntax.self)
      .map { $0.attributes.attribute("Model") != nil }
    if declaration.as(VariableDeclSyntax.self) == nil || isInModel == false {
      context.diagnose(
        Finding(
          "@\(node.baseName) marks properties of a struct with @Model", at: node, .removing(node)
        ).diagnostic)
    }
    return []
  }
}
