/// The formats in which records can be written; frozen from version 1.0.
enum OutputFormat: String, CaseIterable {
  case table, list, line, json, ndjson, csv, tsv, markdown, html, sql, count, none

  /// Other spellings that are accepted.
  static let aliases: [String: OutputFormat] = ["md": .markdown, "jsonl": .ndjson]
}

/// How values are written where a format leaves a choice.
struct ValueOptions {
  /// How bytes are written in text formats.
  enum Blobs: String, CaseIterable { case hex, base64, skip }
  var blobs: Blobs?
  /// Whether integers are JSON strings, for readers that round above 2^53.
  var integersAsText = false
}
