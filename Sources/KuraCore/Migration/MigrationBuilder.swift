/// Collects the operations of a migration's closure.
@resultBuilder
public enum MigrationBuilder {
  /// Takes one operation.
  public static func buildExpression(_ operation: MigrationOperation) -> [MigrationOperation] {
    [operation]
  }

  /// Takes several operations.
  public static func buildExpression(_ operations: [MigrationOperation]) -> [MigrationOperation] {
    operations
  }

  /// Puts operations in their order.
  public static func buildBlock(_ parts: [MigrationOperation]...) -> [MigrationOperation] {
    parts.flatMap { $0 }
  }

  /// Takes operations of a condition.
  public static func buildOptional(_ part: [MigrationOperation]?) -> [MigrationOperation] {
    part ?? []
  }

  /// Takes operations of a branch.
  public static func buildEither(first part: [MigrationOperation]) -> [MigrationOperation] { part }

  /// Takes operations of a branch.
  public static func buildEither(second part: [MigrationOperation]) -> [MigrationOperation] { part }

  /// Takes operations of a loop.
  public static func buildArray(_ parts: [[MigrationOperation]]) -> [MigrationOperation] {
    parts.flatMap { $0 }
  }
}
