import KuraCore

/// How a caller's layout and a model of the catalogue fit together: columns by properties and back.
///
/// `@unchecked Sendable`: nothing in it changes after its making; ``initials`` and ``defaults`` are
/// buffers that are only read from then on.
final class ModelBinding: @unchecked Sendable {
  let model: CatalogueModel
  let layout: ModelLayout
  /// The layout's column of each property, by the property's position; `nil` when the layout has
  /// none.
  let columns: [Int?]
  /// The form of each column.
  let forms: [ValueForm]
  /// Whether each column takes null.
  let takesNull: [Bool]
  /// The key's columns, most significant first.
  let keyColumns: [Int]
  /// The types of the key's columns.
  let keyTypes: [ValueType]
  /// Whether the key is one integer, for which a null asks for the next number.
  let hasIntegerKey: Bool
  /// What each property reads as in records that are older than it, by the property's position.
  let initials: RowBuffer
  /// What each property gets when a caller's layout lacks it, by the property's position.
  let defaults: RowBuffer
  /// The number of the shape of records that are written now.
  let shapeNumber: Int
  /// Whether rows of the layout are rows of all properties in their order.
  let isWhole: Bool

  /// Fits a layout to a model.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty`` when the layout has a column that the model
  ///   lacks, ``StoreError/Code/wrongKey`` when its key is another one.
  init(_ model: CatalogueModel, _ layout: ModelLayout) throws(StoreError) {
    self.model = model
    self.layout = layout
    var columns = [Int?](repeating: nil, count: model.properties.count)
    var forms = [ValueForm](repeating: .any, count: layout.columns.count)
    var takesNull = [Bool](repeating: true, count: layout.columns.count)
    var types = [ValueType](repeating: .any, count: layout.columns.count)
    for (index, column) in layout.columns.enumerated() {
      guard let position = model.properties.firstIndex(where: { $0.name == column.name }) else {
        throw StoreError(
          .unknownProperty, "\"\(model.name)\" has no property \"\(column.name)\"",
          suggestion: "open the store again, if its schema was changed")
      }
      columns[position] = index
      forms[index] = ValueForm(model.properties[position].type)
      types[index] = model.properties[position].type
      takesNull[index] = model.properties[position].isOptional
    }
    let keyColumns = model.primaryKey.compactMap { id in
      model.properties.firstIndex { $0.id == id }.flatMap { columns[$0] }
    }
    guard keyColumns.count == model.primaryKey.count, keyColumns == layout.keyColumns else {
      throw StoreError(
        .wrongKey, "the key of \"\(model.name)\" is another one in the file",
        suggestion: "open the store again, if its schema was changed")
    }
    guard let shapeNumber = model.currentShapeNumber else {
      throw StoreError(.damaged, "the catalogue's entry of \"\(model.name)\" contradicts itself")
    }
    self.columns = columns
    isWhole = columns.enumerated().allSatisfy { $0.offset == $0.element }
    self.forms = forms
    self.takesNull = takesNull
    self.keyColumns = keyColumns
    keyTypes = keyColumns.map { types[$0] }
    hasIntegerKey = keyTypes == [.integer]
    self.shapeNumber = shapeNumber
    initials = RowBuffer(columns: model.properties.count)
    defaults = RowBuffer(columns: model.properties.count)
    for (index, property) in model.properties.enumerated() {
      if let value = property.initial { initials.setValue(value, at: index) }
      if let value = property.defaultValue { defaults.setValue(value, at: index) }
    }
  }

  /// A binding to a layout of all properties in their order.
  convenience init(_ model: CatalogueModel) throws(StoreError) {
    let ids = model.properties.map(\.id)
    let layout = ModelLayout(
      name: model.name,
      columns: model.properties.map { property in
        ModelLayout.Column(
          name: property.name, type: property.type, isOptional: property.isOptional,
          defaultValue: property.defaultValue)
      }, keyColumns: model.primaryKey.compactMap { ids.firstIndex(of: $0) }, rowIDName: nil,
      isKuraModel: true)
    try self.init(model, layout)
  }

  /// The position of a property of a number.
  func position(_ property: UInt32) -> Int? {
    model.properties.firstIndex { $0.id == property }
  }

  /// The layout's column of a property of a number.
  func column(_ property: UInt32) -> Int? { position(property).flatMap { columns[$0] } }
}
