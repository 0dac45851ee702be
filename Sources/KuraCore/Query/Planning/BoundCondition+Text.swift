extension BoundCondition {
  /// The most characters of a condition's text.
  private static let longestText = 400

  /// The condition in the query language, shortened when it is long.
  func text(_ layout: ModelLayout) -> String {
    var writer = Writer(layout: layout)
    writer.write(self, isInside: false)
    return writer.text
  }

  private struct Writer {
    let layout: ModelLayout
    var text = ""
    private var isFull = false

    init(layout: ModelLayout) { self.layout = layout }

    mutating func write(_ condition: BoundCondition, isInside: Bool) {
      switch condition {
      case .always: add("TRUEPREDICATE")
      case .never: add("FALSEPREDICATE")
      case .compareValue(let column, .equal, .bool(true)) where column >= layout.storedCount:
        add(name(column))
      case .compareValue(let column, let comparison, let value):
        add("\(name(column)) \(comparison.rawValue) \(value.literalInQuery)")
      case .compareColumns(let left, let comparison, let right):
        add("\(name(left)) \(comparison.rawValue) \(name(right))")
      case .oneOf(let column, let values): add("\(name(column)) IN \(list(values))")
      case .between(let column, let lower, let upper):
        add("\(name(column)) BETWEEN {\(lower.literalInQuery), \(upper.literalInQuery)}")
      case .textValue(let column, let match, let value):
        add("\(name(column)) \(match.rawValue) \(value.literalInQuery)")
      case .textColumns(let left, let match, let right):
        add("\(name(left)) \(match.rawValue) \(name(right))")
      case .compare(let left, let comparison, let right, let folding):
        add("\(text(left)) \(comparison.rawValue)\(folding.suffix) \(text(right))")
      case .contained(let operand, let values, let folding):
        add("\(text(operand)) IN\(folding.suffix) \(list(values))")
      case .match(let left, let match, let right, let folding):
        add("\(text(left)) \(match.rawValue)\(folding.suffix) \(text(right))")
      case .matches(let operand, let pattern, let folding):
        let shown = StoredValue.text(pattern).literalInQuery
        add("\(text(operand)) MATCHES\(folding.suffix) \(shown)")
      case .among(let column, let subquery):
        add(subquery.text(of: name(column)))
      case .all(let parts): join(parts, " AND ", isInside)
      case .any(let parts): join(parts, " OR ", isInside)
      case .not(let part):
        add("NOT ")
        write(part, isInside: true)
      }
    }

    private mutating func join(_ parts: [BoundCondition], _ word: String, _ isInside: Bool) {
      if isInside { add("(") }
      for (position, part) in parts.enumerated() where !isFull {
        if position > 0 { add(word) }
        write(part, isInside: true)
      }
      if isInside { add(")") }
    }

    private mutating func add(_ more: String) {
      guard !isFull else { return }
      guard text.utf8.count + more.utf8.count <= BoundCondition.longestText else {
        isFull = true
        text += "…"
        return
      }
      text += more
    }

    private func name(_ column: Int) -> String { layout.nameInQuery(column) }

    private func list(_ values: [StoredValue]) -> String {
      let shown = values.prefix(5).map(\.literalInQuery).joined(separator: ", ")
      return "{\(shown)\(values.count > 5 ? ", … \(values.count) values" : "")}"
    }

    private func text(_ operand: BoundOperand) -> String {
      switch operand {
      case .column(let column): name(column)
      case .value(let value): value.literalInQuery
      case .arithmetic(let left, let operation, let right):
        part(left, operation, isRight: false) + " \(operation.rawValue) "
          + part(right, operation, isRight: true)
      }
    }

    /// A side of an operation, in parentheses where it would bind to others without.
    private func part(
      _ operand: BoundOperand, _ operation: Condition.ArithmeticOperator, isRight: Bool
    ) -> String {
      guard case .arithmetic(_, let inner, _) = operand else { return text(operand) }
      let needsParentheses =
        inner.precedence < operation.precedence
        || (isRight && inner.precedence == operation.precedence)
      return needsParentheses ? "(\(text(operand)))" : text(operand)
    }
  }
}

extension Condition.ArithmeticOperator {
  /// The higher one binds tighter.
  fileprivate var precedence: Int {
    switch self {
    case .add, .subtract: 1
    case .multiply, .divide: 2
    }
  }
}

extension ModelLayout {
  /// A column's name as the query language writes it.
  func nameInQuery(_ column: Int) -> String {
    guard columns.indices.contains(column) else { return "?" }
    let name = columns[column].name
    // The name of a derived column is in the query language already.
    guard column < storedCount else { return name }
    let isPlain =
      name.first.map { $0.isLetter || $0 == "_" } ?? false
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    if isPlain { return name }
    return "`"
      + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``")
      + "`"
  }
}

extension StoredValue {
  /// The value as the query language writes it, shortened when it is long.
  fileprivate var literalInQuery: String {
    switch self {
    case .null: "NULL"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "decimal'\(value)'"
    case .date(let value): "date'\(value)'"
    case .text(let value): StoredValue.quoted(value)
    case .malformedText(let bytes): "X'\(StoredValue.hex(bytes.prefix(20)))'"
    case .data(let bytes): "X'\(StoredValue.hex(bytes.prefix(20)))\(bytes.count > 20 ? "…" : "")'"
    case .uuid(let value): "uuid'\(ValueText.text(of: value))'"
    case .objectID(let value): "oid'\(value)'"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars.prefix(60) {
      switch scalar {
      case "'": result += "''"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + (text.unicodeScalars.count > 60 ? "…'" : "'")
  }
}
