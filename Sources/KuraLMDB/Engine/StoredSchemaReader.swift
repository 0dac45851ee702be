import KuraCore

/// Describes what a file holds: Kura's schema and its models.
struct StoredSchemaReader<Snapshot: KeyValueSnapshot> {
  private let snapshot: Snapshot
  private let catalogue: Catalogue?

  init(_ snapshot: Snapshot, _ catalogue: Catalogue?) {
    self.snapshot = snapshot
    self.catalogue = catalogue
  }

  func read() throws(StoreError) -> StoredSchema {
    guard let catalogue, let reader = try CatalogueReader(snapshot) else {
      return StoredSchema(models: [])
    }
    let schema = try reader.schema()
    return StoredSchema(
      kuraSchema: schema, version: schema?.version ?? 0,
      models: catalogue.orderedModels.map { StoredSchemaReader.model($0, catalogue) })
  }

  private static func model(_ model: CatalogueModel, _ catalogue: Catalogue) -> StoredModel {
    func names(_ ids: [UInt32]) -> [String] { ids.compactMap { model.property($0)?.name } }
    return StoredModel(
      name: model.name, kind: .database,
      columns: model.properties.map { property in
        StoredColumn(
          name: property.name, declaredType: property.type.rawValue, type: property.type,
          isOptional: property.isOptional)
      }, primaryKey: names(model.primaryKey),
      indexes: model.indexes.map { index in
        StoredIndex(
          name: LMDBFormat.indexDatabase(index.id),
          terms: names(index.properties).map { StoredIndex.Term(column: $0) },
          isUnique: index.isUnique, isPartial: false,
          origin: index.kind == .declared ? .statement : .primaryKey, sql: nil)
      },
      foreignKeys: model.properties.compactMap { property in
        guard let reference = property.reference,
          let target = catalogue.models[reference.model]
        else { return nil }
        return StoredForeignKey(
          columns: [property.name], target: target.name, targetColumns: [nil],
          onDelete: reference.onDelete.sqlAction, onUpdate: "NO ACTION")
      })
  }
}

extension ReferenceDescription.DeleteRule {
  /// The rule in SQL's words, in which stored foreign keys are described.
  fileprivate var sqlAction: String {
    switch self {
    case .deny: "NO ACTION"
    case .nullify: "SET NULL"
    case .cascade: "CASCADE"
    }
  }
}
