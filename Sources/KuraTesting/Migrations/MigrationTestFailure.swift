public import Kura

/// Something that is not as it should be after a migration of a fixture.
public struct MigrationTestFailure: Sendable, Hashable, CustomStringConvertible {
  /// The version of the fixture.
  public var from: Int
  /// The version that it was migrated to.
  public var to: Int
  /// The format.
  public var format: StoreFormat
  /// What is wrong, with the lines that differ.
  public var problem: String
  /// The path of the store, which stays for a look.
  public var kept: String

  /// One text.
  public var description: String {
    "version \(from) to \(to) of \(format): \(problem)\n  kept: \(kept)"
  }
}
