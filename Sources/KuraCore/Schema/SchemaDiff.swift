/// How one schema differs from another, change by change.
public struct SchemaDiff: Sendable, Hashable {
  /// One difference, from the old schema to the new one.
  public enum Change: Sendable, Hashable {
    /// The new schema has a model more.
    case modelAdded(ModelDescription)
    /// The new schema lacks a model.
    case modelRemoved(ModelDescription)
    /// A model has a property more.
    case propertyAdded(model: String, PropertyDescription)
    /// A model lacks a property.
    case propertyRemoved(model: String, PropertyDescription)
    /// A property has another type, default, requiredness or reference.
    case propertyChanged(model: String, from: PropertyDescription, to: PropertyDescription)
    /// A model has another primary key.
    case primaryKeyChanged(model: String, from: [String], to: [String])
    /// A model keeps another list, or keeps it in another way.
    case listChanged(model: String, from: ListDescription?, to: ListDescription?)
    /// A model has an index more.
    case indexAdded(model: String, IndexDescription)
    /// A model lacks an index.
    case indexRemoved(model: String, IndexDescription)
  }

  /// The differences, by model name and then in the order of the schema.
  public let changes: [Change]

  /// Whether the schemas are logically equal.
  public var isEmpty: Bool { changes.isEmpty }

  /// Whether every change only adds what old records can do without.
  public var isAdditive: Bool { changes.allSatisfy(\.isAdditive) }

  /// Compares two schemas.
  public init(from old: Schema, to new: Schema) {
    var changes: [Change] = []
    let names = Set(old.models.map(\.name)).union(new.models.map(\.name))
    for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      switch (old.model(named: name), new.model(named: name)) {
      case (let before?, let after?): changes += SchemaDiff.changes(from: before, to: after)
      case (let before?, nil): changes.append(.modelRemoved(before))
      case (nil, let after?): changes.append(.modelAdded(after))
      case (nil, nil): break
      }
    }
    self.changes = changes
  }

  private static func changes(from old: ModelDescription, to new: ModelDescription) -> [Change] {
    let model = new.name
    var changes: [Change] = []
    for before in old.properties {
      guard let after = new.property(named: before.name) else {
        changes.append(.propertyRemoved(model: model, before))
        continue
      }
      if !before.isSame(as: after) {
        changes.append(.propertyChanged(model: model, from: before, to: after))
      }
    }
    for after in new.properties where old.property(named: after.name) == nil {
      changes.append(.propertyAdded(model: model, after))
    }
    if old.primaryKey != new.primaryKey {
      changes.append(
        .primaryKeyChanged(model: model, from: old.primaryKey, to: new.primaryKey))
    }
    if old.list != new.list {
      changes.append(.listChanged(model: model, from: old.list, to: new.list))
    }
    for index in old.indexes where !new.indexes.contains(index) {
      changes.append(.indexRemoved(model: model, index))
    }
    for index in new.indexes where !old.indexes.contains(index) {
      changes.append(.indexAdded(model: model, index))
    }
    return changes
  }
}

extension SchemaDiff.Change {
  /// Whether old records need no change and lose nothing.
  public var isAdditive: Bool {
    switch self {
    case .modelAdded: true
    case .propertyAdded(_, let property): property.isOptional || property.defaultValue != nil
    case .indexAdded(_, let index): !index.isUnique
    case .modelRemoved, .propertyRemoved, .propertyChanged, .primaryKeyChanged, .listChanged,
      .indexRemoved:
      false
    }
  }
}

extension SchemaDiff: CustomStringConvertible {
  /// One line for each change, and one for each probable rename.
  public var description: String {
    (changes.map(\.description) + renameHints).joined(separator: "\n")
  }
}

extension SchemaDiff.Change: CustomStringConvertible {
  /// One line: `+` for what is new, `-` for what is gone, `~` for what changed.
  public var description: String {
    switch self {
    case .modelAdded(let model): "+ model \(model.name)"
    case .modelRemoved(let model): "- model \(model.name)"
    case .propertyAdded(let model, let property): "+ \(model).\(property.summary)"
    case .propertyRemoved(let model, let property): "- \(model).\(property.summary)"
    case .propertyChanged(let model, let before, let after):
      "~ \(model).\(before.summary) -> \(after.summary)"
    case .primaryKeyChanged(let model, let before, let after):
      "~ \(model) primary key (\(before.joined(separator: ", "))) -> "
        + "(\(after.joined(separator: ", ")))"
    case .listChanged(let model, let before, let after):
      "~ \(model) \(before?.summary ?? "no list") -> \(after?.summary ?? "no list")"
    case .indexAdded(let model, let index): "+ \(model) \(index.summary)"
    case .indexRemoved(let model, let index): "- \(model) \(index.summary)"
    }
  }
}

extension PropertyDescription {
  /// Whether two properties have one canonical form; negative zero is a default of its own.
  fileprivate func isSame(as other: PropertyDescription) -> Bool {
    self == other && (defaultValue == nil || Schema.json(self) == Schema.json(other))
  }

  /// Name, type and what is special, never the default's value.
  var summary: String {
    "\(name): \(type.rawValue)\(isOptional ? "?" : "")"
      + (defaultValue.map { $0.isNull ? "" : " with a default" } ?? "")
      + (reference.map { " -> \($0.target) (\($0.onDelete.rawValue))" } ?? "")
  }
}

extension ListDescription {
  var summary: String { "list \(property)\(isOwning ? " (owning)" : "")" }
}

extension IndexDescription {
  var summary: String {
    "\(isUnique ? "unique " : "")index (\(properties.joined(separator: ", ")))"
  }
}
