extension SchemaDraft {
  mutating func renameModel(_ old: String, to new: String) throws(StoreError) {
    let place = try place(of: old)
    if Schema.asciiFolded(old) != Schema.asciiFolded(new) { try checkFree(new) }
    models[place].name = new
    for (index, model) in models.enumerated() {
      for (property, description) in model.properties.enumerated()
      where description.reference?.target == old {
        models[index].properties[property].reference?.target = new
      }
      // A list's model is named after its owner, unless it was given a name of its own.
      guard let list = model.list, model.listOwner == old,
        model.name == ListDescription.modelName(old, list.property)
      else { continue }
      let name = ListDescription.modelName(new, list.property)
      try checkFree(name)
      models[index].name = name
    }
  }

  mutating func removeModel(_ name: String) throws(StoreError) {
    let place = try place(of: name)
    for model in models where model.name != name {
      if let property = model.properties.first(where: { $0.reference?.target == name }) {
        let isList = model.listOwner == name
        throw StoreError(
          .invalidSchema, "\"\(model.name)\".\"\(property.name)\" refers to \"\(name)\"",
          suggestion: isList
            ? "remove the model \"\(model.name)\" of its list first"
            : "remove that property or its reference first")
      }
    }
    models.remove(at: place)
  }

  mutating func renameProperty(of name: String, _ old: String, to new: String) throws(StoreError) {
    let owner = try model(name)
    let keeper = models.firstIndex { $0.listOwner == name && $0.list?.property == old }
    guard owner.property(named: old) == nil, let keeper else {
      return try change(name) { model throws(StoreError) in try model.rename(old, to: new) }
    }
    try owner.checkFree(new)
    if models[keeper].name == ListDescription.modelName(name, old) {
      try checkFree(ListDescription.modelName(name, new))
      models[keeper].name = ListDescription.modelName(name, new)
    }
    models[keeper].list?.property = new
  }

  mutating func changePrimaryKey(
    of name: String, to key: [String], _ policy: MigrationFailurePolicy
  ) throws(StoreError) {
    guard policy == .fail || policy == .quarantine else {
      throw StoreError(
        .invalidSchema, "a key cannot become null or a default value",
        suggestion: "use quarantine or fail")
    }
    let owner = try model(name)
    try retarget(
      references: name, owner.primaryKey, to: key.map { owner.property(named: $0)?.type }, policy)
    try change(name) { model throws(StoreError) in
      for property in key { _ = try model.place(of: property) }
      model.primaryKey = key
    }
  }

  /// The values of references are keys, so references take the type of the new one.
  private mutating func retarget(
    references name: String, _ old: [String], to types: [ValueType?],
    _ policy: MigrationFailurePolicy
  ) throws(StoreError) {
    for (place, model) in models.enumerated() {
      for (index, property) in model.properties.enumerated()
      where property.reference?.target == name {
        let subject = "\"\(model.name)\".\"\(property.name)\""
        guard types.count == 1, let type = types[0], old.count == 1 else {
          throw StoreError(
            .invalidSchema, "\(subject) refers to \"\(name)\" by a key of one property",
            suggestion: "choose a key of one property, or remove the reference first")
        }
        guard property.defaultValue?.isNull != false else {
          throw StoreError(
            .invalidSchema, "the default value of \(subject) is an old key of \"\(name)\"",
            suggestion: "remove the default first")
        }
        guard policy == .fail else {
          // Two records with one new key: what referred to the one in quarantine would mean the other.
          throw StoreError(
            .invalidSchema, "\(subject) could lead to another record than before",
            suggestion: "use fail, and mend equal values of the new key before")
        }
        models[place].properties[index].type = type
      }
    }
  }

  mutating func split(
    _ property: String, of name: String, into parts: [PropertyDescription], _ separator: String
  ) throws(StoreError) {
    guard !separator.isEmpty, parts.count >= 2 else {
      throw StoreError(
        .invalidSchema, "a property is split at a separator into at least two parts")
    }
    try change(name) { model throws(StoreError) in
      let place = try model.place(of: property)
      guard model.properties[place].type == .text else {
        throw StoreError(
          .invalidSchema, "only texts can be split",
          found: model.properties[place].type.rawValue, expected: "text")
      }
      try model.remove(property)
      for part in parts {
        guard part.reference == nil else {
          throw StoreError(.invalidSchema, "a part of a text is no reference")
        }
        try model.checkFree(part.name)
        model.properties.append(part)
      }
    }
  }

  mutating func merge(
    _ properties: [String], of name: String, into result: PropertyDescription,
    _ separator: String
  ) throws(StoreError) {
    guard properties.count >= 2, Set(properties).count == properties.count,
      result.type == .text, result.reference == nil
    else {
      throw StoreError(.invalidSchema, "several properties are put together to one text")
    }
    try change(name) { model throws(StoreError) in
      for property in properties { try model.remove(property) }
      try model.checkFree(result.name)
      model.properties.append(result)
    }
  }

  mutating func extract(
    _ properties: [String], of name: String, into target: String, _ reference: String
  ) throws(StoreError) {
    let source = try model(name)
    try checkFree(target)
    guard source.primaryKey.count == 1, let key = source.property(named: source.primaryKey[0])
    else {
      throw StoreError(
        .invalidSchema, "\"\(name)\" has a key of several properties, which no reference has")
    }
    guard !properties.isEmpty, Set(properties).count == properties.count else {
      throw StoreError(.invalidSchema, "at least one property is extracted, each once")
    }
    var moved: [PropertyDescription] = []
    for property in properties { moved.append(source.properties[try source.place(of: property)]) }
    try change(name) { model throws(StoreError) in
      for property in properties { try model.remove(property) }
      try model.checkFree(reference)
      model.properties.append(
        PropertyDescription(
          reference, key.type, isOptional: true,
          reference: ReferenceDescription(to: target, onDelete: .nullify)))
    }
    models.append(
      ModelDescription(target, primaryKey: [key.name], properties: [key] + moved))
  }
}

extension ModelDescription {
  /// Removes a property that neither the key nor an index names.
  mutating func remove(_ property: String) throws(StoreError) {
    let place = try place(of: property)
    guard !primaryKey.contains(property) else {
      throw StoreError(
        .invalidSchema, "\"\(property)\" is part of the primary key of \"\(name)\"",
        suggestion: "change the primary key first")
    }
    if let index = indexes.first(where: { $0.properties.contains(property) }) {
      throw StoreError(
        .invalidSchema, "the \(index.summary) of \"\(name)\" names \"\(property)\"",
        suggestion: "remove the index first")
    }
    properties.remove(at: place)
  }

  /// Throws for a change that no data could follow.
  func checkChange(_ change: PropertyChange, of property: PropertyDescription) throws(StoreError) {
    let changed = change.applied(to: property)
    if let value = change.replacingNulls {
      do {
        _ = try value.coerced(to: changed.type, isOptional: false)
      } catch {
        throw StoreError(
          .wrongType, "the value in the place of nulls is of another type",
          found: value.typeName, expected: changed.type.rawValue)
      }
    }
    switch change.onFailure {
    case .null where !changed.isOptional:
      throw StoreError(
        .invalidSchema, "\"\(property.name)\" is required, so a value cannot become null",
        suggestion: "use another policy, or make it optional")
    case .default where changed.defaultValue == nil:
      throw StoreError(
        .invalidSchema, "\"\(property.name)\" has no default value",
        suggestion: "give it one, or use another policy")
    default: break
    }
    guard changed.type != property.type, property.reference != nil else { return }
    throw StoreError(
      .invalidSchema, "\"\(property.name)\" is a reference, whose type is that of a key",
      suggestion: "remove the reference first")
  }
}
