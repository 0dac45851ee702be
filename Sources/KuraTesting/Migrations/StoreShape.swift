package import Kura

/// What a store's file declares, as lines that two stores of one schema share.
package enum StoreShape {
  /// The lines of a file, without Kura's own tables and the order of properties.
  package static func lines(of path: String) throws(StoreError) -> [String] {
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    defer { try? engine.close() }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    let stored = try transaction.storedSchema()
    var lines = ["fingerprint \(stored.kuraSchema?.fingerprint ?? "none")"]
    for model in stored.models.sorted(by: { $0.name < $1.name }) {
      if model.kind == .system || model.name.hasPrefix("kura_") { continue }
      lines += StoreShape.lines(of: model, engine.format)
    }
    return lines
  }

  private static func lines(of model: StoredModel, _ format: StoreFormat) -> [String] {
    let columns = model.columns.map { column in
      let name = "\(model.name).\(column.name) \(column.type) \(column.declaredType)"
      return "\(name) optional \(column.isOptional) default \(column.defaultSQL ?? "-")"
    }
    let indexes = model.indexes.map { index in
      let terms = index.terms.map { $0.column ?? "?" }
      // In LMDB an index has a number.
      let name = format == .sqlite ? index.name : ""
      return "\(model.name) index \(terms) unique \(index.isUnique) \(name)"
    }
    let references = model.foreignKeys.map { key in
      "\(model.name) reference \(key.columns) to \(key.target) \(key.onDelete)"
    }
    return ["model \(model.name) key \(model.primaryKey) strict \(model.isStrict)"]
      + columns.sorted() + indexes.sorted() + references.sorted()
  }
}
