/// An identified list of operations that takes a store from one schema version to a later one.
///
/// ```swift
/// let second = Migration("split-name", from: 1, to: 2) {
///   MigrationOperation.splitProperty(
///     model: "Person", "name",
///     into: [PropertyDescription("first", .text), PropertyDescription("last", .text)],
///     separator: " ")
///   MigrationOperation.addIndex(model: "Person", IndexDescription(["last"]))
/// }
/// ```
///
/// A migration is data: it has a JSON form (``init(json:)``), and the same operations in Swift and in
/// JSON have the same ``checksum``.
public struct Migration: Sendable, Hashable {
  /// The identity, unique in its store; never a file's name.
  public var id: String
  /// The version that the migration begins with.
  public var from: Int
  /// The version that it leads to.
  public var to: Int
  /// What the migration is for; no part of the checksum.
  public var summary: String?
  /// The operations in their order.
  public var operations: [MigrationOperation]
  /// Whether whoever wrote the migration wants what it loses to be lost; no part of the checksum.
  ///
  /// The command line refuses to run a migration that loses something without it. In the app's own
  /// code the operation is the consent.
  public var allowsLoss = false

  /// Makes a migration; ``Migrations`` checks it.
  public init(
    _ id: String, from: Int, to: Int, summary: String? = nil, operations: [MigrationOperation]
  ) {
    self.id = id
    self.from = from
    self.to = to
    self.summary = summary
    self.operations = operations
  }

  /// Makes a migration of the operations in a closure.
  public init(
    _ id: String, from: Int, to: Int, summary: String? = nil,
    @MigrationBuilder _ operations: () -> [MigrationOperation]
  ) {
    self.init(id, from: from, to: to, summary: summary, operations: operations())
  }

  /// The schema that the migration leads to.
  ///
  /// - Throws: What ``MigrationOperation/applied(to:)`` throws, with the migration and the number of
  ///   the operation; ``StoreError/Code/invalidSchema`` for a schema of another version.
  public func applied(to schema: Schema) throws(StoreError) -> Schema {
    guard schema.version == from else {
      throw StoreError(
        .invalidSchema, "migration \"\(id)\" does not begin with this version",
        found: "version \(schema.version)", expected: "version \(from)")
    }
    var current = schema
    for (index, operation) in operations.enumerated() {
      do {
        current = try operation.applied(to: current)
      } catch {
        throw located(error, operation: index)
      }
    }
    return try Schema(version: to, current.models)
  }

  /// An error with the migration and the number of the operation, counted from 1.
  func located(_ error: StoreError, operation index: Int) -> StoreError {
    var named = error
    named.message = "migration \"\(id)\", operation \(index + 1): \(error.message)"
    return named
  }

  /// The names of the code steps, in their order.
  public var codeSteps: [String] {
    operations.compactMap { if case .code(let name, _) = $0 { name } else { nil } }
  }

  /// What a backend must be able to do.
  public var requiredCapabilities: Capabilities {
    operations.reduce(into: []) { $0.formUnion($1.requiredCapabilities) }
  }
}
