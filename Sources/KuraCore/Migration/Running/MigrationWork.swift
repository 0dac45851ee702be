/// What a migration did, in numbers.
public struct MigrationWork: Sendable, Hashable, Codable {
  /// The operations that were carried out.
  public var operations = 0
  /// The records that were written again.
  public var records: Int64 = 0
  /// The records that were put into quarantine.
  public var quarantined: Int64 = 0
  /// The models whose records were compared before and after, with the number of columns.
  public var proved: [String: Int] = [:]
}
