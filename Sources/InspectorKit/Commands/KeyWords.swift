import KuraCore

/// Reads words as keys.
enum KeyWords {
  /// A word as a value of a type.
  static func value(_ word: String, _ type: ValueType, _ name: String) throws(StoreError)
    -> StoredValue
  {
    let value: StoredValue? =
      switch type {
      case .integer: Int64(word).map { .integer($0) }
      case .double: Double(word).map { .double($0) }
      case .bool: word == "true" ? .bool(true) : word == "false" ? .bool(false) : nil
      case .text, .json: .text(word)
      case .date: Timestamp(iso8601: word).map { .date($0) }
      case .uuid: StoredValue(queryLiteral: "uuid'\(word)'")
      case .objectID: ObjectID(word).map { .objectID($0) }
      case .decimal: StoredValue(queryLiteral: "decimal'\(word)'")
      case .data: bytes(word).map { .data($0) }
      case .any: candidates(word, declared: "").first
      }
    guard let value else {
      throw StoreError(
        .wrongKey, "the key column \"\(name)\" needs another kind of value",
        found: "\"\(word)\"", expected: type.rawValue, suggestion: example(type))
    }
    return value
  }

  private static func example(_ type: ValueType) -> String? {
    switch type {
    case .integer: "give a whole number, such as 42"
    case .double: "give a number, such as 1.5"
    case .decimal: "give a number, such as 19.90"
    case .bool: "give true or false"
    case .date: "give a moment, such as 2026-01-31T12:00:00Z"
    case .uuid: "give a UUID, such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    case .objectID: "give 24 hexadecimal digits"
    case .data: "give hexadecimal digits, such as hex:00ff"
    case .text, .json, .any: nil
    }
  }

  /// Why words that found no record do not fit the declared types of the key, and whether no record
  /// can ever have them; `nil` when they fit.
  ///
  /// SQLite holds only row numbers and STRICT tables to their declarations.
  static func mismatch(_ words: [String], _ model: StoredModel, _ layout: ModelLayout)
    -> (error: StoreError, isCertain: Bool)?
  {
    for (word, index) in zip(words, layout.keyColumns) {
      let name = layout.columns[index].name
      let declared = model.columns.first { $0.name == name }?.declaredType.uppercased() ?? ""
      let number = Double(word)
      let needed: (fits: Bool, kind: ValueType)? =
        if declared.contains("INT") {
          (Int64(word) != nil || number.map { $0 == $0.rounded() } ?? false, .integer)
        } else if ["REAL", "FLOA", "DOUB"].contains(where: declared.contains) {
          (number != nil, .double)
        } else {
          nil
        }
      guard let needed, !needed.fits else { continue }
      let isRowNumber =
        declared == "INTEGER" && layout.keyColumns.count == 1 && !model.isWithoutRowID
        && model.kind == .table
      let error = StoreError(
        .wrongKey, "the key column \"\(name)\" is declared \(declared)", found: "\"\(word)\"",
        expected: needed.kind.rawValue, suggestion: example(needed.kind))
      return (error, isRowNumber || model.isStrict)
    }
    return nil
  }

  /// What a word may mean in a column without a promise: text, a number, bytes.
  static func candidates(_ word: String, declared: String) -> [StoredValue] {
    var values: [StoredValue] = []
    if word.hasPrefix("hex:"), let data = bytes(word) { values.append(.data(data)) }
    if let number = Int64(word) {
      values.append(.integer(number))
    } else if let number = Double(word), number.isFinite {
      values.append(.double(number))
    }
    let text = StoredValue.text(word)
    let isText = ["CHAR", "TEXT", "CLOB"].contains { declared.uppercased().contains($0) }
    return isText ? [text] + values : values + [text]
  }

  private static func bytes(_ word: String) -> [UInt8]? {
    StoredValue.bytes(hex: word.hasPrefix("hex:") ? word.dropFirst(4) : word[...])
  }
}
