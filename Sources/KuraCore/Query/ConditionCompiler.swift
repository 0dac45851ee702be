/// Turns a condition into the steps of a ``ConditionMatcher``.
struct ConditionCompiler {
  var steps: [ConditionMatcher.Step] = []
  var children: [Int] = []
  var constants: [StoredValue] = []
  /// The operands that are more than a column or a constant by itself.
  var operands: [OperandReader.Operand] = []
  /// What the folders fold.
  var foldings: [TextComparison] = []
  /// Patterns of MATCHES; one that is wrong, which the binder refuses, fits nothing.
  var patterns: [TextPattern?] = []

  mutating func add(_ condition: BoundCondition) -> Int {
    let step: ConditionMatcher.Step
    switch condition {
    case .always: step = .constant(true)
    case .never: step = .constant(false)
    case .compareValue(let column, let comparison, let value):
      step = .compareValue(column: column, comparison, constant: constant(value))
    case .compareColumns(let left, let comparison, let right):
      step = .compareColumns(left, comparison, right)
    case .oneOf(let column, let values):
      let list = sorted(values)
      step = .oneOf(column: column, constant: list.start, count: list.count, orNull: list.orNull)
    case .between(let column, let lower, let upper):
      step = .between(column: column, lower: constant(lower), upper: constant(upper))
    case .textValue(let column, let match, let value):
      step = .textValue(column: column, match, constant: constant(value))
    case .textColumns(let left, let match, let right): step = .textColumns(left, match, right)
    case .compare(let left, let comparison, let right, let folding):
      step = .compare(
        left: operand(left, folding), comparison, right: operand(right, folding),
        folder: folder(folding))
    case .contained(let side, let values, let folding):
      let list = sorted(values.map { $0.folded(folding) })
      step = .contained(
        operand: operand(side, folding), constant: list.start, count: list.count,
        orNull: list.orNull, folder: folder(folding))
    case .match(let left, let match, let right, let folding):
      step = .match(
        left: operand(left, folding), match,
        right: operand(right, folding, isPattern: match == .like), folder: folder(folding))
    case .matches(let side, let pattern, let folding):
      patterns.append(try? TextPattern(pattern, folding))
      step = .matches(operand: operand(side, []), pattern: patterns.count - 1)
    case .among:
      // Subqueries are replaced by their values before a condition is compiled.
      step = .constant(false)
    case .all(let parts): step = .all(child: list(parts), count: parts.count)
    case .any(let parts): step = .any(child: list(parts), count: parts.count)
    case .not(let part): step = .not(add(part))
    }
    steps.append(step)
    return steps.count - 1
  }

  private mutating func constant(_ value: StoredValue) -> Int {
    constants.append(value)
    return constants.count - 1
  }

  /// Adds values in order, without null.
  private mutating func sorted(_ values: [StoredValue]) -> (start: Int, count: Int, orNull: Bool) {
    let start = constants.count
    constants += values.filter { !$0.isNull }.sorted { $0.precedes($1) }
    return (start, constants.count - start, values.contains { $0.isNull })
  }

  /// Adds parts and gives the place of the first among the children.
  private mutating func list(_ parts: [BoundCondition]) -> Int {
    let added = parts.map { add($0) }
    children += added
    return children.count - added.count
  }

  /// Adds an operand; what is constant is folded now.
  private mutating func operand(
    _ operand: BoundOperand, _ folding: TextComparison, isPattern: Bool = false
  ) -> Int {
    switch operand {
    case .column(let column): operands.append(.column(column))
    case .value(let value):
      operands.append(.constant(constant(value.folded(folding, isPattern: isPattern))))
    case .arithmetic:
      // The types of columns are told by their values.
      let leaves = operand.leaves.map { leaf in
        if case .column(let column) = leaf { return OperandReader.Leaf.column(column) }
        guard case .value(let value) = leaf else { return .column(-1) }
        return .constant(constant(value))
      }
      let program = ArithmeticProgram(operand, ModelLayout.untyped)
      operands.append(.computed(OperandReader.Computation(program.steps, leaves)))
    }
    return operands.count - 1
  }

  private mutating func folder(_ folding: TextComparison) -> Int {
    guard !folding.normalized.isEmpty else { return -1 }
    foldings.append(folding)
    return foldings.count - 1
  }
}

extension StoredValue {
  /// A text as a comparison sees it; other values as they are.
  package func folded(_ folding: TextComparison, isPattern: Bool = false) -> StoredValue {
    guard !folding.normalized.isEmpty else { return self }
    switch self {
    case .text(let text):
      return .text(isPattern ? folding.foldedPattern(text) : folding.folded(text))
    case .malformedText(let bytes):
      return .malformedText(bytes.withUnsafeBytes { Array(TextFolder(folding).fold($0)) })
    case .null, .bool, .integer, .double, .decimal, .date, .data, .uuid, .objectID: return self
    }
  }
}

extension ModelLayout {
  /// A layout without columns.
  fileprivate static var untyped: ModelLayout {
    ModelLayout(name: "", columns: [], keyColumns: [], rowIDName: nil, isKuraModel: true)
  }
}
