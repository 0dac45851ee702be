/// A value computed of one record by an expression of the query language, such as `price * 2`.
///
/// It is read and checked against a model when it is made, so that a wrong name is an error before any
/// record is touched.
struct MigrationExpression {
  let text: String
  let operand: BoundOperand
  /// The type of the values; `nil` when there are none but null.
  let type: ValueType?

  /// Reads and checks an expression.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery``, ``StoreError/Code/unknownProperty`` with the place
  ///   in the text.
  init(_ text: String, of layout: ModelLayout) throws(StoreError) {
    self.text = text
    var parser = try QueryParser(text, [])
    let binder = QueryBinder(layout: layout)
    let reduced = try binder.reduced(try parser.parseWholeOperand())
    switch reduced {
    case .property(let path):
      let column = try binder.column(path)
      operand = .column(column)
      type = layout.columns[column].type
    case .value(let value):
      operand = .value(value)
      type = value.ownType
    case .arithmetic, .count, .listNumber, .groupNumber:
      let side = try binder.bindSide(reduced)
      (operand, type) = (side.operand, side.type)
    }
  }

  /// Whether the values could be those of a property.
  func fits(_ property: PropertyDescription) -> Bool {
    guard let type, type != property.type, type != .any, property.type != .any else { return true }
    if case .value(let value) = operand {
      return (try? value.coerced(to: property.type, isOptional: true)) != nil
    }
    switch (type, property.type) {
    case (.integer, .double), (.text, .json), (.json, .text), (.integer, .decimal): return true
    default: return false
    }
  }

  /// Computes the values; for one thread at a time.
  func evaluator() -> Evaluator { Evaluator(self) }

  /// An expression made ready for many rows.
  final class Evaluator {
    private let operand: BoundOperand
    private let constant = RowBuffer(columns: 1)
    private let reader: OperandReader?
    private let constants: RowBuffer
    private let leaves: [Int]

    fileprivate init(_ expression: MigrationExpression) {
      operand = expression.operand
      var compiled: [OperandReader.Leaf] = []
      var values: [StoredValue] = []
      if case .arithmetic = operand {
        for leaf in operand.leaves {
          if case .column(let column) = leaf {
            compiled.append(.column(column))
          } else if case .value(let value) = leaf {
            compiled.append(.constant(values.count))
            values.append(value)
          }
        }
        let program = ArithmeticProgram(
          operand,
          ModelLayout(name: "", columns: [], keyColumns: [], rowIDName: nil, isKuraModel: true))
        reader = OperandReader(
          [.computed(OperandReader.Computation(program.steps, compiled))], [], [])
      } else {
        reader = nil
      }
      if case .value(let value) = operand { constant.setValue(value, at: 0) }
      constants = RowBuffer(columns: values.count)
      for (index, value) in values.enumerated() { constants.setValue(value, at: index) }
      leaves = compiled.compactMap { if case .column(let column) = $0 { column } else { nil } }
    }

    /// The value for a row, borrowed until the next call; `nil` when there is none although no
    /// operand is null, as after a division by zero.
    func slot(_ row: RowBuffer) -> ColumnSlot? {
      switch operand {
      case .column(let column): return row[column]
      case .value: return constant[0]
      case .arithmetic:
        guard let reader else { return nil }
        let slot = reader.slot(0, row, constants.storage, folder: -1)
        guard slot.kind == .null else { return slot }
        let hasNull = leaves.contains { row[$0].kind == .null }
        return hasNull || constants.hasNull ? slot : nil
      }
    }
  }
}

extension RowBuffer {
  fileprivate var hasNull: Bool { (0..<count).contains { self[$0].kind == .null } }
}

extension StoredValue {
  /// The type whose values are of this kind; `nil` for null and for what no type has.
  var ownType: ValueType? {
    switch self {
    case .null, .malformedText: nil
    case .bool: .bool
    case .integer: .integer
    case .double: .double
    case .decimal: .decimal
    case .date: .date
    case .text: .text
    case .data: .data
    case .uuid: .uuid
    case .objectID: .objectID
    }
  }
}
