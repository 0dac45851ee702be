import Kura
import KuraCore

/// An entity-relationship diagram in Mermaid's language (mermaid.js.org, erDiagram).
enum MermaidDiagram {
  static func write(_ models: [StoredModel], to bytes: ByteWriter) throws(StoreError) {
    try bytes.append("erDiagram\n")
    for model in models where model.kind == .table || model.kind == .virtual {
      try bytes.append("  \(name(model.name)) {\n")
      for column in model.columns {
        let type = column.declaredType.isEmpty ? "any" : word(column.declaredType)
        let key =
          model.primaryKey.contains(column.name)
          ? " PK" : model.foreignKeys.contains { $0.columns.contains(column.name) } ? " FK" : ""
        try bytes.append("    \(type) \(word(column.name))\(key)\n")
      }
      try bytes.append("  }\n")
    }
    for model in models {
      for key in model.foreignKeys {
        let isRequired = key.columns.allSatisfy { name in
          model.columns.first { $0.name == name }?.isOptional == false
        }
        try bytes.append(
          "  \(name(key.target)) \(isRequired ? "||" : "|o")--o{ \(name(model.name)) : "
            + "\"\(key.columns.joined(separator: ", ").replacing("\"", with: "'"))\"\n")
      }
    }
  }

  private static func name(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "'").replacing("\n", with: " ") + "\""
  }

  /// Attribute names and types are single words there.
  private static func word(_ text: String) -> String {
    let word = String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    return word.first.map { $0.isLetter } == true ? word : "_" + word
  }
}
