/// How a value of one type becomes a value of another one.
///
/// No rule guesses: a value that the rule does not cover cannot be converted, and
/// ``MigrationFailurePolicy`` says what becomes of it. `docs/migrations.md` has the table.
public enum ValueConversion: String, Sendable, Hashable, Codable, CaseIterable {
  /// Only where the new value says exactly what the old one said, so that it could be converted back:
  /// `"12"` is 12, and `"012"`, 1.5 as an integer, or 9007199254740993 as a double are refused.
  case exact
  /// Numbers are rounded to the nearest one that the type has, halves to the even one.
  case rounded
  /// Numbers lose what is behind the point.
  case truncated
  /// Texts are read as people write them: blanks around, leading zeros, `yes` and `no`.
  case lenient
}
