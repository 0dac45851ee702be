#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension QueryBinder {
  /// What a literal is among the values of a column's type.
  enum Literal {
    /// A value of the type.
    case exact(StoredValue)
    /// No value of the type equals it: the greatest one below and the least one above, if any.
    case between(below: StoredValue?, above: StoredValue?)
  }

  /// A literal, which is not null, as a column's type has it.
  func literal(_ value: StoredValue, for index: Int, _ path: PropertyPath?)
    throws(StoreError) -> Literal
  {
    let column = described(index)
    if case .double(let double) = value, double.isNaN {
      throw error("not-a-number cannot be compared", path)
    }
    if case .decimal(let decimal) = value, decimal.isNaN {
      throw error("not-a-number cannot be compared", path)
    }
    switch column.type {
    case .bool, .decimal, .date, .uuid, .objectID, .json: break
    case .integer, .double, .text, .data, .any:
      // A foreign column holds what it holds, whatever was declared.
      if column.type == .any || !layout.isKuraModel { return try anyLiteral(value, index, path) }
    }
    if let literal = column.type.literal(value) { return literal }
    throw error(
      "\"\(column.name)\" is \(column.type.rawValue) and cannot be compared with "
        + "a value of type \(value.typeName)", path,
      suggestion: column.type.literalHint(value))
  }

  private func anyLiteral(_ value: StoredValue, _ index: Int, _ path: PropertyPath?)
    throws(StoreError) -> Literal
  {
    switch value {
    case .null, .integer, .double, .text, .malformedText, .data: return .exact(value)
    case .bool(let value): return .exact(.integer(value ? 1 : 0))
    case .decimal, .date, .uuid, .objectID:
      throw error(
        "\"\(described(index).name)\" has no values of type \(value.typeName)", path,
        suggestion: "compare with the number or text that is stored")
    }
  }
}

extension ValueType {
  /// The literal among the type's values; `nil` when the types do not fit and for not-a-number.
  func literal(_ value: StoredValue) -> QueryBinder.Literal? {
    if case .double(let double) = value, double.isNaN { return nil }
    if case .decimal(let decimal) = value, decimal.isNaN { return nil }
    switch (self, value) {
    case (.bool, .bool), (.integer, .integer), (.double, .double), (.decimal, .decimal),
      (.date, .date), (.text, .text), (.data, .data), (.uuid, .uuid), (.objectID, .objectID),
      (.json, .text):
      return .exact(value)
    case (.integer, .double(let value)): return ValueType.integerLiteral(value)
    case (.integer, .decimal(let value)): return ValueType.integerLiteral(value)
    case (.double, .integer(let value)): return ValueType.doubleLiteral(value)
    case (.decimal, .integer(let value)): return .exact(.decimal(Decimal(value)))
    case (.decimal, .double(let value)):
      // 1.2 in a text means the decimal 1.2, not the double nearest to it.
      return Decimal(plainText: value.description).map { .exact(.decimal($0)) }
    case (.decimal, .text(let text)):
      return Decimal(plainText: text).map { .exact(.decimal($0)) }
    case (.date, .text(let text)): return Timestamp(iso8601: text).map { .exact(.date($0)) }
    case (.uuid, .text(let text)): return ValueText.uuid(text).map { .exact(.uuid($0)) }
    case (.objectID, .text(let text)): return ObjectID(text).map { .exact(.objectID($0)) }
    default: return nil
    }
  }

  private static func integerLiteral(_ value: Double) -> QueryBinder.Literal {
    if let exact = Int64(exactly: value) { return .exact(.integer(exact)) }
    if value >= 0x1p63 { return .between(below: .integer(.max), above: nil) }
    if value < -0x1p63 { return .between(below: nil, above: .integer(.min)) }
    // Doubles with a fraction are far smaller than the limits of integers.
    let whole = Int64(value.rounded(.down))
    return .between(below: .integer(whole), above: .integer(whole + 1))
  }

  private static func integerLiteral(_ value: Decimal) -> QueryBinder.Literal? {
    let text = value.description
    let isNegative = text.hasPrefix("-")
    let parts = text.split(separator: ".", maxSplits: 1)
    guard let first = parts.first else { return nil }
    guard let whole = Int64(first) else {
      return isNegative
        ? .between(below: nil, above: .integer(.min)) : .between(below: .integer(.max), above: nil)
    }
    guard parts.count == 2 else { return .exact(.integer(whole)) }
    if isNegative {
      let (below, overflow) = whole.subtractingReportingOverflow(1)
      return .between(below: overflow ? nil : .integer(below), above: .integer(whole))
    }
    let (above, overflow) = whole.addingReportingOverflow(1)
    return .between(below: .integer(whole), above: overflow ? nil : .integer(above))
  }

  private static func doubleLiteral(_ value: Int64) -> QueryBinder.Literal {
    let nearest = Double(value)
    if Int64(exactly: nearest) == value { return .exact(.double(nearest)) }
    let isBelow = QueryBinder.holds(.double(nearest), .less, .integer(value))
    return .between(
      below: .double(isBelow ? nearest : nearest.nextDown),
      above: .double(isBelow ? nearest.nextUp : nearest))
  }

  /// How to write a value that the type takes.
  func literalHint(_ value: StoredValue) -> String? {
    switch self {
    case .bool: "write true or false"
    case .integer, .double: "write a number without quotes"
    case .decimal: "write a number, or decimal'1.20'"
    case .date: "write date'2026-11-30 01:02:03'"
    case .text, .json: "write the text between quotes: '5'"
    case .data: "write X'00ff'"
    case .uuid: "write uuid'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'"
    case .objectID: "write oid'507f1f77bcf86cd799439011'"
    case .any: nil
    }
  }
}
