#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Migration: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case format, id, from, to, summary, allowsLoss, operations
  }

  /// The version of the JSON form.
  static let jsonFormat = 1
  /// The most bytes of a migration's JSON.
  static let maximumByteCount = 16 << 20

  /// Encodes the members `format`, `id`, `from`, `to`, `summary`, `allowsLoss` and
  /// `operations`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Migration.jsonFormat, forKey: .format)
    try container.encode(id, forKey: .id)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encodeIfPresent(summary, forKey: .summary)
    if allowsLoss { try container.encode(true, forKey: .allowsLoss) }
    try container.encode(operations, forKey: .operations)
  }

  /// Decodes a migration; unknown members are refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Migration.jsonFormat else {
      throw StoreError(
        .newerFormat, "the migration's JSON is of a newer form", found: "\(format)",
        expected: "\(Migration.jsonFormat)", suggestion: "update Kura")
    }
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    self.init(
      try container.decode(String.self, forKey: .id),
      from: try container.decode(Int.self, forKey: .from),
      to: try container.decode(Int.self, forKey: .to),
      summary: try container.decodeIfPresent(String.self, forKey: .summary),
      operations: try container.decode([MigrationOperation].self, forKey: .operations))
    allowsLoss = try container.decodeIfPresent(Bool.self, forKey: .allowsLoss) ?? false
  }

  /// Reads a migration from JSON, in which comments and trailing commas are allowed.
  ///
  /// - Throws: ``StoreError/Code/invalidMigration`` with the place in the JSON,
  ///   ``StoreError/Code/newerFormat``.
  public init(json: String) throws(StoreError) {
    var text = json[...]
    if text.first == "\u{FEFF}" { text.removeFirst() }
    guard text.utf8.count <= Migration.maximumByteCount else {
      throw StoreError(.invalidMigration, "the migration's JSON is larger than 16 MB")
    }
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      self = try decoder.decode(Migration.self, from: Data(text.utf8))
    } catch let error as StoreError {
      throw error
    } catch let error as DecodingError {
      throw StoreError(.invalidMigration, "the migration's JSON is wrong: \(error.place)")
    } catch {
      throw StoreError(.invalidMigration, "the migration's JSON cannot be read")
    }
  }

  /// The canonical JSON: one line, members by name, nothing that has its default.
  public var canonicalJSON: String { Schema.json(self) }

  /// The JSON for people: indented, members by name.
  public var prettyJSON: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
  }

  /// The checksum of what the migration does: `m1:` and the SHA-256 of the canonical JSON without
  /// ``summary`` and ``allowsLoss``.
  ///
  /// Line ends, indentation, comments and the order of members make no difference.
  public var checksum: String {
    var hashed = self
    hashed.summary = nil
    hashed.allowsLoss = false
    return "m1:" + SHA256.hex(of: hashed.canonicalJSON.utf8)
  }
}
