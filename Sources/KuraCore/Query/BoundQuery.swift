/// A query whose names and types were checked against a model: what backends execute.
public struct BoundQuery: Sendable {
  /// The model.
  public var layout: ModelLayout { didSet { rowLayout = layout.extended(by: derived) } }
  /// The columns that other records give, behind those of the layout.
  public var derived: [DerivedColumn] { didSet { rowLayout = layout.extended(by: derived) } }
  /// The columns of the layout with the derived ones; the layout itself when there are none.
  package private(set) var rowLayout: ModelLayout
  /// The checked condition.
  public var condition: BoundCondition
  /// The order, ending with the primary key's columns so that it is total.
  public var order: [BoundSortTerm]
  /// The columns whose equal combinations count once; the first record in key order stands for them.
  public var distinct: [Int]?
  /// The most records to give.
  public var limit: Int?
  /// The number of records to skip first.
  public var offset: Int
  /// The columns to read; `nil` reads all of the layout in order, and no derived ones.
  public var columns: [Int]?

  /// Makes a bound query.
  public init(
    layout: ModelLayout, condition: BoundCondition = .always, order: [BoundSortTerm] = [],
    distinct: [Int]? = nil, limit: Int? = nil, offset: Int = 0, columns: [Int]? = nil,
    derived: [DerivedColumn] = []
  ) {
    self.layout = layout
    self.derived = derived
    rowLayout = layout.extended(by: derived)
    self.condition = condition
    self.order = order
    self.distinct = distinct
    self.limit = limit
    self.offset = offset
    self.columns = columns
  }
}

/// One part of a checked order.
public struct BoundSortTerm: Sendable, Hashable {
  /// The column's index in the layout.
  public var column: Int
  /// Whether greater values come first.
  public var isDescending: Bool

  /// Makes a term.
  public init(column: Int, isDescending: Bool = false) {
    self.column = column
    self.isDescending = isDescending
  }
}

/// A checked condition: columns by index, values already of the column's type.
public indirect enum BoundCondition: Sendable, Hashable {
  /// Every record fulfils it.
  case always
  /// No record fulfils it.
  case never
  /// A column compared with a value.
  case compareValue(column: Int, Condition.ComparisonOperator, StoredValue)
  /// A column compared with another column of the same record.
  case compareColumns(Int, Condition.ComparisonOperator, Int)
  /// A column equals one of the values.
  case oneOf(column: Int, [StoredValue])
  /// A column lies between two values, both included.
  case between(column: Int, StoredValue, StoredValue)
  /// A column's text or data matches a value.
  case textValue(column: Int, Condition.TextOperator, StoredValue)
  /// A column's text or data matches that of another column.
  case textColumns(Int, Condition.TextOperator, Int)
  /// Two operands compared, of which one is computed or both are texts to be folded.
  case compare(BoundOperand, Condition.ComparisonOperator, BoundOperand, TextComparison)
  /// A computed or folded operand equals one of the values.
  case contained(BoundOperand, [StoredValue], TextComparison)
  /// A folded text matches another.
  case match(BoundOperand, Condition.TextOperator, BoundOperand, TextComparison)
  /// The whole of a text fits a regular expression.
  case matches(BoundOperand, String, TextComparison)
  /// A column's value is among those of a column of other records.
  case among(column: Int, BoundSubquery)
  /// All parts are fulfilled.
  case all([BoundCondition])
  /// At least one part is fulfilled.
  case any([BoundCondition])
  /// The part is not fulfilled.
  case not(BoundCondition)
}
