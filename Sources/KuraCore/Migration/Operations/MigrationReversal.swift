/// The way back from an operation, and what it cannot bring back.
public struct MigrationReversal: Sendable, Hashable {
  /// The operations that lead back to the old schema; `nil` when there are none.
  public var operations: [MigrationOperation]?
  /// What is lost for good, in a sentence; `nil` when nothing is.
  public var loss: String?

  /// Makes a reversal.
  public init(_ operations: [MigrationOperation]?, loss: String? = nil) {
    self.operations = operations
    self.loss = loss
  }
}
