import Kura

extension ModelDescription {
  /// The model after a change that succeeds.
  func applying(_ change: SchemaChange) -> ModelDescription {
    var model = self
    switch change {
    case .createModel, .dropModel: break
    case .addProperty(_, let property): model.properties.append(property)
    case .removeProperty(_, let name): model.properties.removeAll { $0.name == name }
    case .renameProperty(_, let old, let new):
      func renamed(_ name: String) -> String { name == old ? new : name }
      for index in model.properties.indices {
        model.properties[index].name = renamed(model.properties[index].name)
      }
      model.primaryKey = model.primaryKey.map(renamed)
      for index in model.indexes.indices {
        model.indexes[index].properties = model.indexes[index].properties.map(renamed)
      }
    case .renameModel(let old, let new):
      model.name = new
      for index in model.properties.indices where model.properties[index].reference?.target == old {
        model.properties[index].reference?.target = new
      }
    case .changeProperty(_, let property):
      for index in model.properties.indices where model.properties[index].name == property.name {
        model.properties[index] = property
      }
    case .setList(_, let list): model.list = list
    case .createReplacement, .replaceModel: break
    case .addIndex(_, let index): model.indexes.append(index)
    case .removeIndex(_, let index): model.indexes.removeAll { $0 == index }
    }
    return model
  }

  /// The model after the changes among some steps.
  func applying(_ steps: some Sequence<GeneratedStore.Step>) -> ModelDescription {
    steps.reduce(self) { model, step in
      if case .change(let change) = step { model.applying(change) } else { model }
    }
  }
}

extension SchemaChange {
  /// A row of a model as it is after the change.
  func convert(_ row: [StoredValue], of model: ModelDescription) -> [StoredValue] {
    switch self {
    case .addProperty(_, let property): return row + [property.defaultValue ?? .null]
    case .removeProperty(_, let name):
      return zip(model.properties, row).filter { $0.0.name != name }.map(\.1)
    default: return row
    }
  }
}
