#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The migrations that a store went through, the oldest first.
public struct MigrationHistory: Sendable, Hashable, Encodable {
  /// The entries.
  public let records: [MigrationRecord]

  /// Reads the entries of a file.
  ///
  /// - Throws: ``StoreError/Code/damaged``.
  package init(_ entries: [HistoryEntry]) throws(StoreError) {
    var records: [MigrationRecord] = []
    for (number, entry) in entries.enumerated() {
      do {
        records.append(
          try JSONDecoder().decode(MigrationRecord.self, from: Data(entry.json.utf8)))
      } catch {
        throw StoreError(
          .damaged, "entry \(number + 1) of the store's history cannot be read",
          suggestion: "restore a backup")
      }
    }
    self.records = records
  }

  /// The JSON of all entries.
  public var json: String { Schema.json(records) }

  /// Throws when a migration is not the one that was carried out under its identity.
  ///
  /// - Throws: ``StoreError/Code/historyMismatch``.
  public func check(_ migrations: Migrations) throws(StoreError) {
    guard let (record, migration) = mismatches(with: migrations).first else { return }
    throw StoreError(
      .historyMismatch,
      "migration \"\(migration.id)\" is not the one that the store went through on "
        + record.started.prefix(10),
      found: MigrationHistory.difference(
        from: record.operations, to: migration.operations), expected: record.checksum,
      suggestion:
        "bring the migration back as it was and write what changed as a new one, or accept it")
  }

  /// The entries whose migrations are others now, without those that somebody accepted.
  func mismatches(with migrations: Migrations) -> [(MigrationRecord, Migration)] {
    let accepted = Set(records.filter { $0.kind == .accept }.map { $0.id + "\n" + $0.checksum })
    return migrations.all.compactMap { migration in
      // The newest entry of the identity counts: a restored store may have gone the way twice.
      guard
        let record = records.last(where: { $0.kind == .apply && $0.id == migration.id }),
        record.checksum != migration.checksum,
        !accepted.contains(migration.id + "\n" + migration.checksum)
      else { return nil }
      return (record, migration)
    }
  }

  /// What differs, an operation a part.
  private static func difference(from old: [MigrationOperation], to new: [MigrationOperation])
    -> String
  {
    let changes = new.difference(from: old).map { change in
      switch change {
      case .remove(_, let operation, _): "- \(operation)"
      case .insert(_, let operation, _): "+ \(operation)"
      }
    }
    return changes.isEmpty
      ? "the same operations with other details" : changes.joined(separator: "; ")
  }
}
