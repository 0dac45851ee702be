import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Something wrong with a declaration, where it is, and how it can be mended.
struct Finding {
  /// A change that an editor can make.
  struct Mend {
    let title: String
    let old: Syntax
    let new: Syntax
  }

  let text: String
  let node: Syntax
  let mends: [Mend]

  init(_ text: String, at node: some SyntaxProtocol, _ mends: Mend?...) {
    self.text = text
    self.node = Syntax(node)
    self.mends = mends.compactMap { $0 }
  }
}

extension Finding.Mend {
  /// Puts other text in the place of a node; what is around it stays.
  static func replacing(_ node: some SyntaxProtocol, with new: some SyntaxProtocol, _ title: String)
    -> Self
  {
    Self(
      title: title, old: Syntax(node),
      new: Syntax(new).with(\.leadingTrivia, node.leadingTrivia)
        .with(\.trailingTrivia, node.trailingTrivia))
  }

  /// Removes an attribute.
  static func removing(_ attribute: AttributeSyntax) -> Self {
    Self(
      title: "remove @\(attribute.baseName)", old: Syntax(attribute),
      new: Syntax(MissingDeclSyntax(placeholder: .identifier(""))))
  }
}

extension Finding: DiagnosticMessage {
  var message: String { text }
  var diagnosticID: MessageID { MessageID(domain: "Kura", id: "model") }
  var severity: DiagnosticSeverity { .error }

  /// The finding as the compiler takes it.
  var diagnostic: Diagnostic {
    struct Title: FixItMessage {
      let message: String
      var fixItID: MessageID { MessageID(domain: "Kura", id: "mend") }
    }
    return Diagnostic(
      node: node, message: self,
      fixIts: mends.map {
        FixIt(
          message: Title(message: $0.title), changes: [.replace(oldNode: $0.old, newNode: $0.new)])
      })
  }
}

extension AttributeSyntax {
  /// The attribute's name without a module.
  var baseName: String {
    attributeName.as(IdentifierTypeSyntax.self)?.name.text
      ?? attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }
}

extension AttributeListSyntax {
  /// The attribute of a name.
  func attribute(_ name: String) -> AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.baseName == name }
  }
}
