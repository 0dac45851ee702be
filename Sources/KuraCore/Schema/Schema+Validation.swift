extension Schema {
  /// The greatest version: SQLite keeps `user_version` in 32 bits.
  public static let maximumVersion = Int(Int32.max)
  /// The most bytes of UTF-8 in a name.
  public static let maximumNameByteCount = 255
  /// The most properties of a model; SQLite's own limit is 2,000 columns.
  public static let maximumPropertyCount = 1000

  func validate() throws(StoreError) {
    guard (1...Schema.maximumVersion).contains(version) else {
      throw StoreError(
        .invalidSchema, "a schema's version must be positive", found: "\(version)",
        expected: "1 to \(Schema.maximumVersion)")
    }
    try Schema.checkNames(models.map(\.name), of: "model")
    for model in models {
      let folded = model.name.lowercased()
      guard !folded.hasPrefix("kura_"), !folded.hasPrefix("sqlite_") else {
        throw StoreError(
          .invalidName, "the model name \"\(model.name)\" is reserved",
          suggestion: "use a name that does not begin with kura_ or sqlite_")
      }
      try model.validate(in: self)
    }
  }

  /// Names are compared without ASCII case because SQLite does so.
  package static func checkNames(_ names: [String], of kind: String) throws(StoreError) {
    var seen: Set<String> = []
    for name in names {
      guard !name.isEmpty else {
        throw StoreError(.invalidName, "a \(kind) has no name", suggestion: "give it one")
      }
      guard name.utf8.count <= maximumNameByteCount else {
        throw StoreError(
          .invalidName, "the \(kind) name \"\(name.prefix(40))…\" is too long",
          found: "\(name.utf8.count) bytes", expected: "at most \(maximumNameByteCount) bytes")
      }
      guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
        throw StoreError(.invalidName, "a \(kind) name has a control character")
      }
      guard seen.insert(asciiFolded(name)).inserted else {
        throw StoreError(
          .invalidName, "the \(kind) name \"\(name)\" is used twice (letter case does not count)")
      }
    }
  }

  /// A name with its ASCII letters in lower case, by scalars so that no normalisation happens.
  package static func asciiFolded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}

extension ModelDescription {
  /// The types whose values may be keys and may be indexed.
  package static let keyTypes: Set<ValueType> = [
    .bool, .integer, .double, .decimal, .date, .text, .data, .uuid, .objectID,
  ]

  fileprivate func validate(in schema: Schema) throws(StoreError) {
    func fail(_ message: String) -> StoreError {
      StoreError(.invalidSchema, "model \"\(name)\": \(message)")
    }
    guard (1...Schema.maximumPropertyCount).contains(properties.count) else {
      throw fail("has \(properties.count) properties; 1 to \(Schema.maximumPropertyCount) work")
    }
    try Schema.checkNames(properties.map(\.name), of: "property")
    guard !primaryKey.isEmpty else { throw fail("has no primary key") }
    try checkList(primaryKey, what: "the primary key", fail)
    for name in primaryKey {
      if let property = property(named: name) {
        guard !property.isOptional else { throw fail("key property \"\(name)\" is optional") }
        guard property.defaultValue == nil else {
          throw fail("key property \"\(name)\" has a default value")
        }
      }
    }
    var seen: Set<IndexDescription> = []
    for index in indexes {
      guard !index.properties.isEmpty else { throw fail("has an index without properties") }
      try checkList(index.properties, what: "an index", fail)
      guard seen.insert(index).inserted else {
        throw fail("has the index on \(index.properties.joined(separator: ", ")) twice")
      }
    }
    for property in properties { try property.validate(in: schema, fail) }
    try validateList(in: schema, fail)
  }

  private func validateList(in schema: Schema, _ fail: (String) -> StoreError) throws(StoreError) {
    guard let list else { return }
    guard let owner = property(named: ListDescription.owner)?.reference?.target,
      let target = property(named: ListDescription.target)?.reference,
      self
        == ListDescription.model(
          list, of: schema.model(named: owner), to: schema.model(named: target.target),
          onDelete: target.onDelete, name: name)
    else { throw fail("keeps a list, and its properties or keys are not those of a list") }
    guard schema.model(named: owner)?.property(named: list.property) == nil else {
      throw fail("keeps the list \"\(list.property)\" of \"\(owner)\", which has such a property")
    }
  }

  private func checkList(_ names: [String], what: String, _ fail: (String) -> StoreError)
    throws(StoreError)
  {
    guard Set(names).count == names.count else { throw fail("\(what) names a property twice") }
    for name in names {
      guard let property = property(named: name) else {
        let hint = closestMatch(name, in: properties.map(\.name))
        throw fail(
          "\(what) names \"\(name)\", which is no property"
            + (hint.map { "; did you mean \"\($0)\"?" } ?? ""))
      }
      guard ModelDescription.keyTypes.contains(property.type) else {
        throw fail("\(what) cannot have a property of type \(property.type.rawValue)")
      }
    }
  }

  /// The property of a name.
  public func property(named name: String) -> PropertyDescription? {
    properties.first { $0.name == name }
  }
}

extension PropertyDescription {
  fileprivate func validate(in schema: Schema, _ fail: (String) -> StoreError) throws(StoreError) {
    if let defaultValue {
      do {
        _ = try defaultValue.coerced(to: type, isOptional: isOptional)
      } catch {
        throw fail("property \"\(name)\" has a default value of another type: \(error.message)")
      }
    }
    guard let reference else { return }
    guard let target = schema.model(named: reference.target) else {
      throw fail("property \"\(name)\" refers to \"\(reference.target)\", which is no model")
    }
    guard target.primaryKey.count == 1, let key = target.property(named: target.primaryKey[0])
    else { throw fail("property \"\(name)\" refers to a model with a composite key") }
    guard key.type == type else {
      throw fail(
        "property \"\(name)\" is \(type.rawValue) but the key of \"\(target.name)\" is "
          + key.type.rawValue)
    }
    guard reference.onDelete != .nullify || isOptional else {
      throw fail("property \"\(name)\" must be optional to be nullified")
    }
  }
}
