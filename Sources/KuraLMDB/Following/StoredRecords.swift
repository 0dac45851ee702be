package import KuraCore

/// The models of one state of a file that Kura made, and what reads their records from entries.
package final class StoredRecords {
  /// A model with its database.
  package struct Model {
    /// The columns.
    package let layout: ModelLayout
    /// The name of the database of its records.
    package let database: [UInt8]
    fileprivate let reader: RecordReader
  }

  /// The schema that the file records.
  package let schema: Schema?
  /// The models in the order of their names.
  package let models: [Model]

  /// Reads the catalogue; `nil` when Kura did not make the file.
  ///
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/newerFormat``.
  package init?(_ snapshot: PageSnapshot) throws(StoreError) {
    guard let reader = try CatalogueReader(snapshot) else { return nil }
    let catalogue = try reader.catalogue()
    let schema = try reader.schema()
    self.schema = schema
    var models: [Model] = []
    for model in catalogue.orderedModels {
      let binding: ModelBinding
      if let described = schema?.model(named: model.name) {
        binding = try catalogue.binding(ModelLayout(described))
      } else {
        binding = try catalogue.whole(model)
      }
      models.append(
        Model(
          layout: binding.layout, database: Array(model.database.utf8),
          reader: RecordReader(binding, columns: binding.layout.columns.indices)))
    }
    self.models = models
  }

  /// The model whose records a database holds.
  package func model(ofDatabase name: [UInt8]?) -> Model? {
    models.first { $0.database == name }
  }

  /// Fills a row from an entry; the row borrows its bytes.
  ///
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/undecodable``.
  package static func read(
    _ model: Model, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, into row: RowBuffer
  ) throws(StoreError) {
    row.reset()
    unsafe try model.reader.read(key: key, value: value, into: row)
  }
}
