/// The part of a query that a record fulfils or not.
///
/// Logic has two values: a comparison with null is true or false, never unknown. `x == null` is
/// true for records without `x`; `x != 5` is true for them; `x < 5` is false, and so its negation
/// is true.
public indirect enum Condition: Sendable, Hashable {
  /// Every record fulfils it.
  case always
  /// No record fulfils it.
  case never
  /// A comparison of two operands.
  case comparison(Operand, ComparisonOperator, Operand, TextComparison = [])
  /// The operand equals one of the values.
  case oneOf(Operand, [StoredValue], TextComparison = [])
  /// The operand is at least the first and at most the second value.
  case between(Operand, StoredValue, StoredValue, TextComparison = [])
  /// A text (or data) operand matches another by its content, byte for byte if nothing else is said.
  case text(Operand, TextOperator, Operand, TextComparison = [])
  /// The whole of a text operand fits a regular expression.
  case matches(Operand, String, TextComparison = [])
  /// So many of the records that a list holds fulfil a condition on them.
  ///
  /// Without a list, the condition's paths go through one: `ANY waves.eggs > 3`.
  case quantified(Quantifier, list: PropertyPath?, Condition)
  /// All parts are fulfilled; an empty list is always fulfilled.
  case all([Condition])
  /// At least one part is fulfilled; an empty list never is.
  case any([Condition])
  /// The part is not fulfilled.
  case not(Condition)

  /// One side of a comparison.
  public indirect enum Operand: Sendable, Hashable {
    /// A property of the record.
    case property(PropertyPath)
    /// A value.
    case value(StoredValue)
    /// A number computed of two others.
    case arithmetic(Operand, ArithmeticOperator, Operand)
    /// How many elements of a list refer to records that fulfil a condition; it compares with
    /// integers.
    case count(list: PropertyPath, Condition)
    /// A number over a property of the records in a list that fulfil a condition.
    ///
    /// With an empty second path the first one goes through the list to the property.
    case listNumber(ListFunction, list: PropertyPath, of: PropertyPath, Condition)
    /// A number over a group, in a condition on groups.
    case groupNumber(QueryColumn)
  }

  /// A number over the values of a list's records that are not null.
  public enum ListFunction: String, Sendable, Hashable, CaseIterable {
    /// The least value, or null.
    case minimum = "@min"
    /// The greatest value, or null.
    case maximum = "@max"
    /// The sum, zero when there is no value; null when its type cannot have it.
    case sum = "@sum"
    /// The mean as a double, or null.
    case average = "@avg"
  }

  /// How many of a list's records.
  public enum Quantifier: String, Sendable, Hashable, CaseIterable {
    /// At least one.
    case any = "ANY"
    /// Every one; of an empty list as well.
    case all = "ALL"
    /// Not one.
    case none = "NONE"
  }

  /// How a number is computed of two others.
  ///
  /// There is no value where one side has none, where the result is beyond 64 bits, and for a
  /// division by zero.
  public enum ArithmeticOperator: String, Sendable, Hashable, CaseIterable {
    /// The sum.
    case add = "+"
    /// The difference.
    case subtract = "-"
    /// The product.
    case multiply = "*"
    /// The quotient; of two integers without its fraction.
    case divide = "/"
  }

  /// How two values compare.
  public enum ComparisonOperator: String, Sendable, Hashable, CaseIterable {
    /// Equal; null equals null.
    case equal = "=="
    /// Not equal.
    case notEqual = "!="
    /// Less than.
    case less = "<"
    /// Less than or equal.
    case lessOrEqual = "<="
    /// Greater than.
    case greater = ">"
    /// Greater than or equal.
    case greaterOrEqual = ">="
  }

  /// How a text matches another.
  public enum TextOperator: String, Sendable, Hashable, CaseIterable {
    /// The right side occurs in the left side.
    case contains = "CONTAINS"
    /// The left side begins with the right side.
    case beginsWith = "BEGINSWITH"
    /// The left side ends with the right side.
    case endsWith = "ENDSWITH"
    /// The left side fits a pattern: `*` any run of characters, `?` one character, `\` escapes.
    case like = "LIKE"
  }
}
