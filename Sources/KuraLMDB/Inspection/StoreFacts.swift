import KuraCore

/// Collects the facts of a report in the order in which people read them.
struct StoreFacts {
  private(set) var report = FileReport()

  init() { add("format", "format", .text(StoreFormat.lmdb.rawValue)) }

  mutating func add(_ key: String, _ label: String, _ value: FileReport.Value) {
    report.facts.append(.init(key, label, value))
  }

  /// Adds what the catalogue says, and the library in use.
  mutating func addCatalogue(_ catalogue: Catalogue?) {
    if let catalogue {
      add("kuraFormat", "Kura format", .integer(Int64(LMDBFormat.version)))
      add("databases", "databases", .list(StoreFacts.databases(catalogue)))
    }
    add("library", "library", .text(LMDBVersion.text))
  }

  /// The databases with what they hold.
  private static func databases(_ catalogue: Catalogue) -> [String] {
    catalogue.orderedModels.flatMap { model in
      ["\(model.database): \(model.name)"]
        + model.indexes.map { index in
          let properties = index.properties.compactMap { model.property($0)?.name }
          return
            "\(LMDBFormat.indexDatabase(index.id)): \(index.isUnique ? "unique " : "")index of "
            + "\(model.name) on \(properties.joined(separator: ", "))"
        }
    }
  }
}
