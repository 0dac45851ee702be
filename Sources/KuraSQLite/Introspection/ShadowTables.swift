import KuraCore

/// Tells the tables that belong to virtual tables, also when the module is not at hand.
enum ShadowTables {
  /// The suffixes of the tables that known modules make, lower-case; `*` stands for digits.
  private static let suffixes: [String: [String]] = [
    "fts3": ["content", "segments", "segdir"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "parent", "rowid"],
    "rtree_i32": ["node", "parent", "rowid"],
    "geopoly": ["node", "parent", "rowid"],
    "spellfix1": ["vocab"],
    "vec0": [
      "chunks", "rowids", "info", "auxiliary", "vector_chunks*", "metadatachunks*",
      "metadatatext*",
    ],
  ]

  /// The module of a CREATE VIRTUAL TABLE statement; `nil` for other statements.
  static func module(of sql: String?) -> String? {
    guard let sql, begins(sql, with: ["create", "virtual"]) else { return nil }
    // The name may hold the word: take the USING that follows the name's end.
    guard let using = position(ofUsingIn: Array(sql.utf8.prefix(4096))) else { return "?" }
    let rest = Array(sql.utf8.prefix(4096))[using...]
    let name = rest.drop { $0 <= 0x20 }.prefix { byte in
      byte > 0x20 && byte != UInt8(ascii: "(") && byte != UInt8(ascii: ";")
    }
    let text = String(decoding: name, as: UTF8.self)
    let quotes: Set<Character> = ["\"", "'", "`", "[", "]"]
    return String(text.drop { quotes.contains($0) }.prefix { !quotes.contains($0) })
  }

  /// Whether a statement begins with some words, given in small letters.
  private static func begins(_ sql: String, with words: [String]) -> Bool {
    var rest = sql.utf8.prefix(4096)
    for word in words {
      rest = rest.drop { $0 <= 0x20 }
      guard rest.prefix(word.utf8.count).map({ $0 | 0x20 }) == Array(word.utf8) else {
        return false
      }
      rest = rest.dropFirst(word.utf8.count)
      guard let next = rest.first, next <= 0x20 else { return false }
    }
    return true
  }

  /// The offset after the first word USING outside quotes.
  private static func position(ofUsingIn bytes: [UInt8]) -> Int? {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
        || byte == UInt8(ascii: "[")
      {
        let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        index += 1
        while index < bytes.count, bytes[index] != end { index += 1 }
        index += 1
        continue
      }
      if index > 0, bytes[index - 1] <= 0x20, bytes.count - index > 5,
        String(decoding: bytes[index..<(index + 5)], as: UTF8.self).lowercased() == "using",
        bytes[index + 5] <= 0x20
      {
        return index + 5
      }
      index += 1
    }
    return nil
  }

  /// Marks the shadow tables among models and names their virtual tables.
  static func mark(_ models: inout [StoredModel]) {
    var virtuals: [String: StoredModel] = [:]
    for model in models where model.kind == .virtual {
      virtuals[Schema.asciiFolded(model.name)] = model
    }
    guard !virtuals.isEmpty else { return }
    for index in models.indices where models[index].kind != .virtual {
      let name = Schema.asciiFolded(models[index].name)
      // Names may have underscores themselves: each may be the one between name and suffix.
      for place in name.utf8.indices where name.utf8[place] == UInt8(ascii: "_") {
        let suffix = String(name[name.utf8.index(after: place)...])
        guard let virtual = virtuals[String(name[..<place])],
          isKnown(suffix, of: virtual.module?.lowercased() ?? "")
        else { continue }
        if models[index].kind == .table { models[index].kind = .shadow }
        if models[index].kind == .shadow { models[index].module = virtual.name }
      }
    }
  }

  private static func isKnown(_ suffix: String, of module: String) -> Bool {
    (suffixes[module] ?? []).contains { known in
      guard known.hasSuffix("*") else { return known == suffix }
      let stem = known.dropLast()
      return suffix.hasPrefix(stem) && suffix.dropFirst(stem.count).allSatisfy(\.isNumber)
    }
  }
}
