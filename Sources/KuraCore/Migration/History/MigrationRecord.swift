#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One entry of a store's history: a migration that was carried out.
public struct MigrationRecord: Sendable, Hashable, Codable {
  /// What was carried out.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// A migration that somebody wrote.
    case apply
    /// What was inferred from the schemas.
    case inferred
    /// The making of the store.
    case create
    /// A store that was begun anew by ``StoreConfiguration/MigrationPolicy/eraseData``.
    case erase
    /// A note that an edited migration counts as the one that was carried out.
    case accept
    /// A note that a file of another program counts as having a version from now on.
    case baseline
  }

  /// The migration's identity.
  public var id: String
  /// What was carried out.
  public var kind: Kind
  /// The migration's checksum.
  public var checksum: String
  /// The version before.
  public var from: Int
  /// The version after.
  public var to: Int
  /// The fingerprint before.
  public var fromFingerprint: String
  /// The fingerprint after.
  public var toFingerprint: String
  /// When it began, in UTC; entries are ordered by their numbers and never by this.
  public var started: String
  /// How long it took, in milliseconds.
  public var milliseconds: Int64
  /// What was done, in numbers.
  public var work: MigrationWork
  /// The path of the copy that was made before.
  public var backup: String?
  /// The library that did it.
  public var tool: String
  /// The process that did it.
  public var process: Int32
  /// The operations, so that the way is known without the app.
  public var operations: [MigrationOperation]
}

extension MigrationRecord {
  /// An entry that begins now.
  package static func now(
    _ kind: Kind, id: String, checksum: String, from: Int, to: Int, fromFingerprint: String,
    toFingerprint: String, operations: [MigrationOperation] = []
  ) -> MigrationRecord {
    MigrationRecord(
      id: id, kind: kind, checksum: checksum, from: from, to: to,
      fromFingerprint: fromFingerprint, toFingerprint: toFingerprint,
      started: MigrationRunner.now(), milliseconds: 0,
      work: MigrationWork(operations: operations.count), tool: MigrationRunner.tool,
      process: getpid(), operations: operations)
  }

  /// The form in the file.
  package var entry: HistoryEntry {
    HistoryEntry(
      id: id, kind: kind.rawValue, from: from, to: to, started: started, json: Schema.json(self))
  }

  /// The JSON of the entry.
  public var json: String { Schema.json(self) }
}
