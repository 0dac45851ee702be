extension SchemaDiff {
  /// What one name less and one name more of the same shape probably mean, for people to confirm.
  ///
  /// A guess is made only where it is the only one: a diff never knows that something was renamed.
  public var renameHints: [String] {
    var removedModels: [ModelDescription] = []
    var addedModels: [ModelDescription] = []
    var properties: [String: (removed: [PropertyDescription], added: [PropertyDescription])] = [:]
    for change in changes {
      switch change {
      case .modelRemoved(let model): removedModels.append(model)
      case .modelAdded(let model): addedModels.append(model)
      case .propertyRemoved(let model, let property):
        properties[model, default: ([], [])].removed.append(property)
      case .propertyAdded(let model, let property):
        properties[model, default: ([], [])].added.append(property)
      case .propertyChanged, .primaryKeyChanged, .listChanged, .indexAdded, .indexRemoved: break
      }
    }
    var hints = SchemaDiff.onlyPairs(removedModels, addedModels) { $0.hasShape(of: $1) }
      .map { "? model \($0.name) may have been renamed to \($1.name)" }
    for model in properties.keys.sorted() {
      guard let (removed, added) = properties[model] else { continue }
      hints += SchemaDiff.onlyPairs(removed, added) { $0.hasShape(of: $1) }
        .map { "? \(model).\($0.name) may have been renamed to \(model).\($1.name)" }
    }
    return hints
  }

  /// The pairs in which each side fits no other.
  private static func onlyPairs<Part>(
    _ removed: [Part], _ added: [Part], _ fits: (Part, Part) -> Bool
  ) -> [(Part, Part)] {
    removed.compactMap { old in
      let candidates = added.filter { fits(old, $0) }
      guard candidates.count == 1, removed.count(where: { fits($0, candidates[0]) }) == 1 else {
        return nil
      }
      return (old, candidates[0])
    }
  }
}

extension ModelDescription {
  /// Whether nothing but the name differs.
  fileprivate func hasShape(of other: ModelDescription) -> Bool {
    primaryKey == other.primaryKey && Set(properties) == Set(other.properties)
  }
}

extension PropertyDescription {
  /// Whether type, optionality and reference are the same.
  fileprivate func hasShape(of other: PropertyDescription) -> Bool {
    type == other.type && isOptional == other.isOptional && reference == other.reference
  }
}
