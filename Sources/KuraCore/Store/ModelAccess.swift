/// What one transaction needs to read and write the records of a type: the model's columns, the
/// models of its lists, and buffers that are used again.
@usableFromInline final class ModelAccess {
  @usableFromInline let type: ObjectIdentifier
  @usableFromInline let layout: ModelLayout
  @usableFromInline let row: RowBuffer
  /// A second buffer, for comparing a record with the one in the store.
  lazy var stored = RowBuffer(columns: layout.columns.count)
  @usableFromInline let lists: [ModelLayout]
  @usableFromInline let hasLists: Bool

  init<Root: Model>(_ type: Root.Type, _ store: Store) throws(StoreError) {
    let description = type.modelDescription
    self.type = ObjectIdentifier(type)
    layout = try store.layout(of: description.name)
    row = RowBuffer(columns: layout.columns.count)
    // A store that was opened with another description would give values to wrong properties.
    guard layout.columns.count == description.properties.count,
      zip(layout.columns, description.properties).allSatisfy({
        $0.name == $1.name && $0.type == $1.type && ($1.isOptional || !$0.isOptional)
      })
    else {
      throw StoreError(
        .invalidSchema, "the store's model \"\(layout.name)\" is not that of the type",
        path: store.configuration.location.path,
        found: layout.columns.map(\.name).joined(separator: ", "),
        expected: description.properties.map(\.name).joined(separator: ", "),
        suggestion: "open the store with Schema(version:_:) of the type")
    }
    var lists: [ModelLayout] = []
    for list in type.modelLists {
      lists.append(
        try store.layout(of: ListDescription.modelName(description.name, list.property)))
    }
    self.lists = lists
    hasLists = !lists.isEmpty
  }

  @usableFromInline func listReader(_ transaction: any EngineReadTransaction) -> ListReader? {
    lists.isEmpty ? nil : ListReader(lists, of: layout, transaction)
  }
}
