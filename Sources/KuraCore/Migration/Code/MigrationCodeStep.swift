/// A step of a migration in code: it moves data and never changes the schema.
///
/// A ``MigrationOperation/code(_:changes:)`` of the same name says where it runs.
public struct MigrationCodeStep: Sendable {
  /// The name, by which an operation calls it.
  public let name: String
  /// What it does.
  let body: @Sendable (MigrationContext) throws -> Void

  /// Makes a step.
  ///
  /// - Parameter body: Reads and writes records; what it throws ends the migration, and nothing
  ///   changes.
  public init(_ name: String, _ body: @escaping @Sendable (MigrationContext) throws -> Void) {
    self.name = name
    self.body = body
  }
}
