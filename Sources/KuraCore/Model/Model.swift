/// A type whose values are the records of a model.
///
/// The macro ``Model(_:primaryKey:unique:indexes:renamedFrom:)`` writes the conformance of a struct:
///
/// ```swift
/// @Model struct Dog {
///   @PrimaryKey var id = ObjectID()
///   var name: String
///   @Indexed var age: Int?
/// }
/// ```
///
/// A conformance by hand gives a description, reads the properties in its order, and writes them in
/// the same order; `docs/models.md` has an example.
public protocol Model: Sendable {
  /// The type of the primary key: that of the key's property, or a type of its own for several.
  associatedtype Key: ModelKey
  /// The properties as conditions and orders name them.
  associatedtype Properties: Sendable

  /// The model's name in the store.
  static var modelName: String { get }
  /// The model's name, properties, primary key and indexes; properties in the order of reading.
  static var modelDescription: ModelDescription { get }
  /// The lists of references, in the order of reading.
  static var modelLists: [ModelList] { get }
  /// Earlier names of the model and its properties.
  static var modelRenames: [ModelRename] { get }
  /// The properties as conditions and orders name them.
  static var modelProperties: Properties { get }

  /// The primary key.
  var modelKey: Key { get }

  /// Reads a record.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` for a value that the property's type cannot be.
  init(from row: borrowing RowReader) throws(StoreError)

  /// Writes the record's values.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  func write(to row: borrowing RowWriter) throws(StoreError)
}

extension Model {
  /// No lists.
  public static var modelLists: [ModelList] { [] }
  /// No earlier names.
  public static var modelRenames: [ModelRename] { [] }
}

/// An earlier name of a model or of one of its properties, so that a migration can rename it.
public struct ModelRename: Sendable, Hashable {
  /// The earlier name.
  public let from: String
  /// The name now; `nil` for the model itself.
  public let property: String?

  /// Makes a rename of a property.
  public init(property: String, from: String) {
    self.property = property
    self.from = from
  }

  /// Makes a rename of the model.
  public init(modelFrom from: String) {
    property = nil
    self.from = from
  }
}

/// A list of references of a model.
public struct ModelList: Sendable, Hashable {
  /// The name of the list among the model's properties.
  public let property: String
  /// The name of the model that the elements refer to.
  public let target: String
  /// What happens on deletions: ``ReferenceDescription/DeleteRule/nullify`` removes the elements
  /// of a deleted record, ``ReferenceDescription/DeleteRule/deny`` refuses to delete one that is
  /// in a list, and ``ReferenceDescription/DeleteRule/cascade`` deletes the records that a list
  /// holds together with the list's owner.
  public let onDelete: ReferenceDescription.DeleteRule

  /// Makes a list of references to records of a model.
  public init<Target: Model>(
    _ property: String, of target: Target.Type, onDelete: ReferenceDescription.DeleteRule = .nullify
  ) {
    self.property = property
    // Not the description, which may be in the making and need this list's owner.
    self.target = target.modelName
    self.onDelete = onDelete
  }

  /// Makes a list of the type of a property.
  public init<Target: Model>(
    _ property: String, _ type: ReferenceList<Target>.Type,
    onDelete: ReferenceDescription.DeleteRule = .nullify
  ) {
    self.init(property, of: Target.self, onDelete: onDelete)
  }

  /// How the schema describes the list.
  var description: ListDescription {
    ListDescription(property: property, isOwning: onDelete == .cascade)
  }
}

extension Schema {
  /// Makes a schema of types.
  ///
  /// - Throws: ``StoreError/Code/invalidSchema``, ``StoreError/Code/invalidName``.
  public init(version: Int, _ models: any Model.Type...) throws(StoreError) {
    try self.init(version: version, of: models)
  }

  /// Makes a schema of types.
  ///
  /// - Throws: As ``init(version:_:)-(_,Model.Type...)``.
  public init(version: Int, of models: [any Model.Type]) throws(StoreError) {
    var descriptions = models.map { $0.modelDescription }
    for model in models {
      let owner = model.modelDescription
      for list in model.modelLists {
        let target = descriptions.first { $0.name == list.target }
        guard
          let keeper = ListDescription.model(
            list.description, of: owner, to: target, onDelete: list.onDelete)
        else {
          throw StoreError(
            .invalidSchema,
            target == nil
              ? "the list \"\(owner.name)\".\"\(list.property)\" refers to \"\(list.target)\", "
                + "which is no model of the schema"
              : "the list \"\(owner.name)\".\"\(list.property)\" has a side with a composite key",
            suggestion: target == nil ? "add \(list.target).self to the schema" : nil)
        }
        descriptions.append(keeper)
      }
    }
    let renames = models.flatMap { model in
      model.modelRenames.map { rename in
        rename.property.map {
          SchemaRename(model: model.modelName, property: $0, from: rename.from)
        } ?? SchemaRename(model: model.modelName, from: rename.from)
      }
    }
    try self.init(version: version, descriptions, renames: renames)
  }
}
