import SwiftParser
import SwiftSyntax

/// The arguments of an attribute that are literals.
struct AttributeArguments {
  /// A name in a list, and where it stands.
  struct Name {
    let text: String
    let node: ExprSyntax
  }

  private let arguments: LabeledExprListSyntax

  init(_ attribute: AttributeSyntax) {
    arguments = attribute.arguments?.as(LabeledExprListSyntax.self) ?? []
  }

  /// The expression of a label.
  func expression(_ label: String?) -> ExprSyntax? {
    arguments.first { $0.label?.text == label }?.expression
  }

  /// The text of a label.
  func text(_ label: String?) -> String? {
    expression(label)?.as(StringLiteralExprSyntax.self)?.representedLiteralValue
  }

  /// The texts of a list.
  func list(_ label: String) -> [Name] { names(expression(label)) }

  /// The lists of texts of a list.
  func lists(_ label: String) -> [[Name]] {
    expression(label)?.as(ArrayExprSyntax.self)?.elements.map { names($0.expression) } ?? []
  }

  private func names(_ expression: ExprSyntax?) -> [Name] {
    expression?.as(ArrayExprSyntax.self)?.elements.compactMap { element in
      element.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        .map { Name(text: $0, node: element.expression) }
    } ?? []
  }
}
