/// What a backend can do beyond the contract that all backends keep.
public struct Capabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt32
  /// Makes a set of bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Changes of the schema are part of the transaction.
  public static let transactionalSchema = Capabilities(rawValue: 1 << 0)
  /// Renaming costs the same whatever the number of records.
  public static let constantTimeRename = Capabilities(rawValue: 1 << 1)
  /// Adding a property with a default costs the same whatever the number of records.
  public static let constantTimeDefault = Capabilities(rawValue: 1 << 2)
  /// The engine's transactions are also ``SQLReadTransaction``s.
  public static let rawSQL = Capabilities(rawValue: 1 << 3)
  /// Several processes may use the file at once.
  public static let multipleProcesses = Capabilities(rawValue: 1 << 4)
  /// Write transactions must stay on the thread that began them.
  public static let threadBoundWrites = Capabilities(rawValue: 1 << 5)
  /// Removing a property and changing its default, requiredness or reference writes no record.
  public static let constantTimePropertyChange = Capabilities(rawValue: 1 << 6)
}
