#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One entry of a file's history: what changed the schema, and when.
public struct HistoryEntry: Sendable, Hashable, Codable {
  /// The identity of what was done.
  public var id: String
  /// What kind of thing it was, such as `apply`.
  public var kind: String
  /// The version before.
  public var from: Int
  /// The version after.
  public var to: Int
  /// When it began, in UTC.
  public var started: String
  /// Everything else, as JSON.
  public var json: String

  /// Makes an entry.
  public init(id: String, kind: String, from: Int, to: Int, started: String, json: String) {
    self.id = id
    self.kind = kind
    self.from = from
    self.to = to
    self.started = started
    self.json = json
  }
}

extension EngineReadTransaction {
  /// The entries that the metadata has.
  public func history() throws(StoreError) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for number in 0..<(try historyCount()) {
      guard case .text(let json)? = try metadata("history.\(number)"),
        let entry = try? JSONDecoder().decode(HistoryEntry.self, from: Data(json.utf8))
      else {
        throw StoreError(
          .damaged, "entry \(number) of the file's history cannot be read",
          suggestion: "restore a backup")
      }
      entries.append(entry)
    }
    return entries
  }

  fileprivate func historyCount() throws(StoreError) -> Int64 {
    guard case .integer(let count)? = try metadata("history.count"), (0...1_000_000) ~= count
    else { return 0 }
    return count
  }
}

extension EngineWriteTransaction {
  /// Adds an entry to the metadata.
  public func appendHistory(_ entry: HistoryEntry) throws(StoreError) {
    let count = try historyCount()
    try setMetadata("history.\(count)", .text(Schema.json(entry)))
    try setMetadata("history.count", .integer(count + 1))
  }

  /// References are checked always.
  public func setChecksReferences(_ isOn: Bool) throws(StoreError) {}

  /// None.
  public func brokenObjects() throws(StoreError) -> [String: String] { [:] }
}
