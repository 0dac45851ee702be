/// A column that a record does not have but other records give it: the property of a record that it
/// refers to, or a number over one of its lists.
///
/// Conditions, orders and results name derived columns by indices that follow those of the model's
/// own ones, so that whatever works with a column works with them.
public struct DerivedColumn: Sendable, Hashable {
  /// A reference that is followed.
  public struct Step: Sendable {
    /// The reference, a column of the model before.
    public var column: Int
    /// The model that it leads to.
    public var target: ModelLayout

    /// Makes a step.
    public init(column: Int, target: ModelLayout) {
      self.column = column
      self.target = target
    }
  }

  /// What is taken of the record that the steps lead to.
  public indirect enum Content: Sendable, Hashable {
    /// A column of it.
    case column(Int)
    /// A number over one of its lists.
    case list(BoundListNumber)
    /// Whether a condition that looks at other records holds: for backends that execute one model at
    /// a time.
    case membership(column: Int, BoundSubquery)
  }

  /// What the query language calls the column.
  public var name: String
  /// The type of the values.
  public var type: ValueType
  /// Whether there may be no value.
  public var isOptional: Bool
  /// The references from the record on; none when it is about the record itself.
  public var steps: [Step]
  /// What is taken at their end.
  public var content: Content

  /// Makes a column.
  public init(
    name: String, type: ValueType, isOptional: Bool = true, steps: [Step] = [], content: Content
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.steps = steps
    self.content = content
  }
}

extension DerivedColumn.Step: Hashable {
  /// Whether columns and models are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.column == right.column && left.target === right.target
  }

  /// Hashes the parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(column)
    hasher.combine(ObjectIdentifier(target))
  }
}

/// A number over the records that a list holds.
///
/// A record that is in the list twice counts twice. A sum that its type cannot have is null.
public struct BoundListNumber: Sendable {
  /// The model that keeps the list's elements.
  public var keeper: ModelLayout
  /// The model of the records in the list.
  public var target: ModelLayout
  /// The number; of a column of the target.
  public var function: AggregateRequest.Function
  /// Which of the records count.
  public var condition: BoundCondition
  /// The derived columns of the target.
  public var derived: [DerivedColumn]

  /// Makes a number.
  public init(
    keeper: ModelLayout, target: ModelLayout, function: AggregateRequest.Function,
    condition: BoundCondition = .always, derived: [DerivedColumn] = []
  ) {
    self.keeper = keeper
    self.target = target
    self.function = function
    self.condition = condition
    self.derived = derived
  }

  /// The target's columns with the derived ones.
  package var rowLayout: ModelLayout { target.extended(by: derived) }

  /// Whether the list's records need not be read.
  package var countsElements: Bool { function == .count && condition == .always }
}

extension BoundListNumber: Hashable {
  /// Whether lists, numbers and conditions are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.keeper === right.keeper && left.target === right.target
      && left.function == right.function && left.condition == right.condition
      && left.derived == right.derived
  }

  /// Hashes the parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(keeper))
    hasher.combine(function)
    hasher.combine(condition)
  }
}

extension ModelLayout {
  /// The layout of rows that have derived columns behind the model's own ones.
  package func extended(by derived: [DerivedColumn]) -> ModelLayout {
    guard !derived.isEmpty else { return self }
    return ModelLayout(
      name: name,
      columns: columns
        + derived.map { Column(name: $0.name, type: $0.type, isOptional: $0.isOptional) },
      keyColumns: keyColumns, rowIDName: rowIDName, isKuraModel: isKuraModel,
      storedCount: columns.count)
  }
}
