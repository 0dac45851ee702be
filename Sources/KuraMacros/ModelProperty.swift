import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// One stored property of a struct with `@Model`.
struct ModelProperty {
  /// What keeps the values.
  enum Kind {
    case column
    case list
  }

  let name: String
  let type: TypeSyntax
  let kind: Kind
  let isKey: Bool
  let isIndexed: Bool
  let isUnique: Bool
  /// The rule of `@Relation`, as written.
  let onDelete: ExprSyntax?
  /// The name of `@Renamed`.
  let renamedFrom: String?
  /// The default as a stored value, when it is a literal.
  let defaultValue: String?
  let variable: VariableDeclSyntax
  let pattern: IdentifierPatternSyntax

  /// The name in Swift, with backquotes where it needs them.
  var identifier: String { pattern.identifier.trimmedDescription }
  /// The type as written.
  var typeText: String { type.trimmedDescription }
  /// Whether the type is written as optional.
  var isOptional: Bool { type.wrapped != nil }
}

extension TypeSyntax {
  /// The type that an optional wraps, for every way to write an optional.
  var wrapped: TypeSyntax? {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType }
    guard let generic = self.as(IdentifierTypeSyntax.self), generic.name.text == "Optional",
      let argument = generic.genericArgumentClause?.arguments.first?.argument
    else { return nil }
    return TypeSyntax(argument)
  }

  /// The name without module and arguments.
  var baseName: String? {
    self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
  }

  /// What a store cannot keep, whatever the names in it mean; `nil` for all other types.
  var impossible: String? {
    if let wrapped {
      return wrapped.wrapped == nil ? wrapped.impossible : "an optional of an optional"
    }
    if self.is(FunctionTypeSyntax.self) { return "a function" }
    if let tuple = self.as(TupleTypeSyntax.self) {
      return tuple.elements.count == 1 ? nil : "a tuple"
    }
    if let some = self.as(SomeOrAnyTypeSyntax.self) {
      return "a value of the type \(some.trimmedDescription)"
    }
    if self.is(MetatypeTypeSyntax.self) { return "a type" }
    return ["Any", "AnyObject", "Self"].contains(baseName)
      ? "a value of the type \(baseName ?? "")" : nil
  }

  /// Whether the type is certainly kept as JSON, which is no key and has no index.
  var isCollection: Bool {
    (wrapped ?? self).is(ArrayTypeSyntax.self) && (wrapped ?? self).trimmedDescription != "[UInt8]"
      || (wrapped ?? self).is(DictionaryTypeSyntax.self) || (wrapped ?? self).baseName == "Set"
  }
}

extension ExprSyntax {
  /// The type of a literal, or of a call of a type's name.
  var impliedType: TypeSyntax? {
    if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if self.is(FloatLiteralExprSyntax.self) { return "Double" }
    if self.is(StringLiteralExprSyntax.self) { return "String" }
    if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if let prefix = self.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "-" {
      return prefix.expression.impliedType
    }
    guard let call = self.as(FunctionCallExprSyntax.self) else { return nil }
    let name = call.calledExpression.trimmedDescription
    let last = name.split(separator: ".").last ?? ""
    guard last.first?.isUppercase == true else { return nil }
    return "\(raw: name)"
  }

  /// A literal as the expression of a stored value for a property; `nil` for everything else.
  func storedLiteral(of type: TypeSyntax) -> String? {
    let text = trimmedDescription
    let name = (type.wrapped ?? type).trimmedDescription
    switch name {
    case "String":
      guard let literal = self.as(StringLiteralExprSyntax.self),
        literal.representedLiteralValue != nil
      else { return nil }
      return ".text(\(text))"
    case "Bool":
      return self.is(BooleanLiteralExprSyntax.self) ? ".bool(\(text))" : nil
    case "Double", "Float":
      return impliedType.map { ["Int", "Double"].contains($0.trimmedDescription) } == true
        ? ".double(\(text))" : nil
    case "Int", "Int64", "Int32", "Int16", "Int8", "UInt64", "UInt", "UInt32", "UInt16", "UInt8":
      return impliedType?.trimmedDescription == "Int" ? ".integer(\(text))" : nil
    default: return nil
    }
  }
}
