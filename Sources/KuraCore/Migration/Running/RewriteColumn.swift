/// Where the values of one column of a rewritten model come from.
enum RewriteColumn {
  /// A column as it is.
  case copy(Int)
  /// One value for every record.
  case constant(StoredValue)
  /// A column by a rule, with a value in the place of nulls.
  case convert(Int, ValueConversion, nulls: StoredValue?)
  /// An expression, for the records that fulfil the rewrite's condition; the others keep a column, or
  /// get the default.
  case expression(MigrationExpression.Evaluator, otherwise: Int?)
  /// A part of a text.
  case part(Int, separator: String, index: Int, of: Int)
  /// The texts of columns put together.
  case joined([Int], separator: String)
  /// What the record that a reference leads to has in the place of its key.
  case lookUp(Int, KeyLookup)
  /// The key, if one of the columns has a value.
  case keyIfAny(Int, of: [Int])
}

extension RewriteColumn {
  /// The column that is copied.
  var copied: Int? {
    if case .copy(let column) = self { column } else { nil }
  }
}

/// Why a record cannot be brought into the new shape; never shows a value.
struct RewriteFailure: Error {
  var reason: String
}
