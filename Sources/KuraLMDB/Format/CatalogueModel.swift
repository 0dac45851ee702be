import KuraCore

/// What the catalogue says of one model: names that may change, numbers that never do.
///
/// A record says only the number of its shape; everything about names, defaults and removed
/// properties is here, so that renaming, adding and removing rewrite one entry.
struct CatalogueModel: Sendable, Hashable {
  /// One property in the order of declaration.
  struct Property: Sendable, Hashable {
    /// Never used again in the model, also not after the property was removed.
    var id: UInt32
    var name: String
    var type: ValueType
    var isOptional: Bool
    /// The value of new records that give none.
    var defaultValue: StoredValue?
    /// The value of records that were written before the property was added.
    var initial: StoredValue?
    var reference: Reference?
  }

  /// The model that a property's values are keys of.
  struct Reference: Sendable, Hashable {
    var model: UInt32
    var onDelete: ReferenceDescription.DeleteRule
  }

  /// One index with a database of its own.
  struct Index: Sendable, Hashable {
    /// Why there is an index.
    enum Kind: String, Sendable, Codable {
      /// The schema asks for it.
      case declared
      /// Deleting records needs it to find those that refer to them.
      case reference
    }

    /// The number in the database's name, never used again in the file.
    var id: UInt32
    var properties: [UInt32]
    var isUnique: Bool
    var kind: Kind
  }

  /// The number in the database's name, never used again in the file.
  var id: UInt32
  var name: String
  var primaryKey: [UInt32]
  var properties: [Property]
  var indexes: [Index]
  /// The stored properties of the records that say the position as the number of their shape.
  var shapes: [[UInt32]]
  /// The databases in which a key was cut, whose order is no longer that of the values.
  var cut: Set<String>
  /// The number of the next property.
  var nextProperty: UInt32
  /// What list the records are the elements of.
  var list: ListDescription?
}

extension CatalogueModel {
  /// The database of the records.
  var database: String { LMDBFormat.recordDatabase(id) }

  /// The property of a number.
  func property(_ id: UInt32) -> Property? { properties.first { $0.id == id } }

  /// The property of a name.
  func property(named name: String) -> Property? { properties.first { $0.name == name } }

  /// The stored properties of a record that is written now.
  var currentShape: [UInt32] {
    properties.map(\.id).filter { !primaryKey.contains($0) }
  }

  /// The number of the shape of records that are written now; every change of the properties makes
  /// sure that there is one.
  var currentShapeNumber: Int? { shapes.lastIndex(of: currentShape) }

  /// The model as a schema describes it; `nil` when the entry contradicts itself.
  func description(nameOf model: (UInt32) -> String?) -> ModelDescription? {
    var described: [PropertyDescription] = []
    for property in properties {
      var reference: ReferenceDescription?
      if let target = property.reference {
        guard let name = model(target.model) else { return nil }
        reference = ReferenceDescription(to: name, onDelete: target.onDelete)
      }
      described.append(
        PropertyDescription(
          property.name, property.type, isOptional: property.isOptional,
          defaultValue: property.defaultValue, reference: reference))
    }
    func names(_ ids: [UInt32]) -> [String] { ids.compactMap { property($0)?.name } }
    return ModelDescription(
      name, primaryKey: names(primaryKey), properties: described,
      indexes: indexes.filter { $0.kind == .declared }
        .map { IndexDescription(names($0.properties), isUnique: $0.isUnique) },
      list: list)
  }

  /// Whether the entry's numbers fit together, which a damaged file cannot promise.
  var isConsistent: Bool {
    let ids = properties.map(\.id)
    let known = Set(ids)
    let stored = shapes.flatMap { $0 }
    return known.count == ids.count && !primaryKey.isEmpty
      && Set(primaryKey).count == primaryKey.count && primaryKey.allSatisfy(known.contains)
      && primaryKey.allSatisfy { key in
        property(key).map { ModelDescription.keyTypes.contains($0.type) } ?? false
      }
      && shapes.allSatisfy { Set($0).count == $0.count && $0.count <= 1 << 16 }
      && (ids + stored).allSatisfy { $0 < nextProperty } && currentShapeNumber != nil
      && Set(stored).isDisjoint(with: primaryKey)
      && Set(indexes.map(\.id)).count == indexes.count
      && indexes.allSatisfy { index in
        !index.properties.isEmpty && Set(index.properties).count == index.properties.count
          && index.properties.allSatisfy { id in
            property(id).map { ModelDescription.keyTypes.contains($0.type) } ?? false
          }
      }
  }
}
