public import Kura

/// The records of a store as text that people can review: one line a record, in key order.
///
/// The same records give the same text on every backend.
public enum StoreDump {
  /// The lines of all models, and of what is in quarantine.
  ///
  /// - Throws: What reading throws.
  public static func lines(of store: Store) throws -> [String] {
    try store.read { transaction in
      var lines: [String] = []
      for model in store.schema.models {
        try transaction.forEach(Query(model.name)) { record in
          let parts = zip(record.layout.columns, record.values)
            .map { "\($0.name): \(text($1))" }.sorted()
          lines.append("\(model.name)(\(parts.joined(separator: ", ")))")
        }
      }
      for record in try transaction.quarantinedRecords() {
        let parts = record.values.map { "\($0.key): \(text($0.value))" }.sorted()
        lines.append("quarantine \(record.model)(\(parts.joined(separator: ", ")))")
      }
      return lines
    }
  }

  /// A value as a literal of the query language.
  private static func text(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "decimal'\(value)'"
    case .date(let value): "date'\(value)'"
    case .text(let value): quoted(value)
    case .malformedText(let bytes), .data(let bytes): "X'\(StoredValue.hex(bytes))'"
    case .uuid(let value): "uuid'\(ValueText.text(of: value))'"
    case .objectID(let value): "oid'\(value)'"
    }
  }

  /// A text on one line.
  private static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": quoted += "\\'"
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20: quoted += "\\u{\(String(scalar.value, radix: 16))}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }
}
