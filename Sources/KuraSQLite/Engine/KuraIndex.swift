import KuraCore

/// An index that Kura made; its name follows from its kind, model and columns.
struct KuraIndex {
  let kind: String
  let columns: [String]
  let name: String

  /// `unique`, `index` or `ref`; `nil` for names of others.
  static func kind(of name: String) -> String? {
    ["unique", "index", "ref"].first { name.hasPrefix("kura_\($0)_") }
  }

  func properName(_ model: String) -> String {
    "kura_\(kind)_\(model)_" + columns.joined(separator: "_")
  }

  func sql(_ model: String) -> String {
    "CREATE \(kind == "unique" ? "UNIQUE " : "")INDEX \(SQLLiterals.quoted(properName(model))) ON "
      + "\(SQLLiterals.quoted(model)) "
      + "(\(columns.map { SQLLiterals.quoted($0) }.joined(separator: ", ")))"
  }
}
