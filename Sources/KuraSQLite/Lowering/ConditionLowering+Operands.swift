import KuraCore

/// Sides of comparisons that are computed, or texts that are folded, as calls of functions.
///
/// What a function gives has no affinity and compares by its bytes, as conditions do everywhere.
extension ConditionLowering {
  /// Adds an operand; constants are folded already.
  func append(
    _ operand: BoundOperand, _ folding: TextComparison, isPattern: Bool = false,
    to text: inout SQLText
  ) {
    switch operand {
    case .value(let value):
      text.append(value: value.folded(folding, isPattern: isPattern))
    case .column(let column):
      guard !folding.isEmpty else {
        // Without the sign, a declared type would change what the column is compared with.
        return text.append("+" + layout.quotedColumn(column))
      }
      let function = isPattern ? TextFunctions.foldPattern : TextFunctions.fold
      text.append("\(function)(\(layout.quotedColumn(column)), \(folding.rawValue))")
    case .arithmetic:
      let program = ArithmeticProgram(operand, layout)
      text.append(
        "\(ArithmeticFunction.name)('\(String(decoding: program.steps, as: UTF8.self))'")
      for leaf in operand.leaves {
        text.append(", ")
        append(leaf, [], to: &text)
      }
      text.append(")")
    }
  }

  func contained(
    _ operand: BoundOperand, _ values: [StoredValue], _ folding: TextComparison,
    _ text: inout SQLText
  ) throws(StoreError) {
    let present = values.filter { !$0.isNull }.map { $0.folded(folding) }
    guard !values.isEmpty else { return text.append("0") }
    text.append("(")
    append(operand, folding, to: &text)
    try appendList(present, to: &text)
    if present.count < values.count {
      text.append(" OR ")
      append(operand, folding, to: &text)
      text.append(" IS NULL")
    }
    text.append(")")
  }
}
