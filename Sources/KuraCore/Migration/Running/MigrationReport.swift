/// What a migration did to a store.
public struct MigrationReport: Sendable, Hashable, Encodable {
  /// The version before.
  public var from: Int
  /// The version after.
  public var to: Int
  /// The entries that the store's history got.
  public var records: [MigrationRecord]
  /// The path of the copy that was made before.
  public var backup: String?
  /// What somebody should know, such as references that led nowhere before as well.
  public var notes: [String]

  /// Makes a report.
  package init(
    from: Int, to: Int, records: [MigrationRecord] = [], backup: String? = nil,
    notes: [String] = []
  ) {
    self.from = from
    self.to = to
    self.records = records
    self.backup = backup
    self.notes = notes
  }

  /// The JSON of the report.
  public var json: String { Schema.json(self) }
}
