/// One change of a schema and of the data under it, as plain data.
///
/// An operation is a function from one schema to the next (``applied(to:)``), has one effect on the
/// records that is the same on every backend, and knows its ``reversal(in:)`` or what is lost. It has
/// a JSON form, so that files are migrated without the app's code.
public enum MigrationOperation: Sendable, Hashable {
  /// Makes a model, which must not exist.
  case createModel(ModelDescription)
  /// Gives a model another name; the lists that it owns follow.
  case renameModel(from: String, to: String)
  /// Removes a model with its records.
  case removeModel(String)

  /// Adds a property as the last one.
  ///
  /// Records that are there have the value of the expression, else the property's default, else null.
  /// A required property needs one of them unless the model is empty.
  case addProperty(model: String, PropertyDescription, value: String? = nil)
  /// Gives a property, or a list, another name.
  case renameProperty(model: String, from: String, to: String)
  /// Removes a property with its values.
  case removeProperty(model: String, String)
  /// Changes type, default, requiredness or uniqueness of a property.
  case changeProperty(model: String, String, PropertyChange)
  /// Puts the records of a model under another primary key.
  case changePrimaryKey(model: String, to: [String], onFailure: MigrationFailurePolicy = .fail)

  /// Makes an index over the records.
  case addIndex(model: String, IndexDescription)
  /// Removes an index.
  case removeIndex(model: String, IndexDescription)
  /// Makes a property a reference: each of its values must be the key of a record.
  case addReference(
    model: String, property: String, ReferenceDescription,
    onFailure: MigrationFailurePolicy = .fail)
  /// Makes a reference an ordinary property that keeps its values.
  case removeReference(model: String, property: String)

  /// Takes the text of a property apart into several new ones and removes it.
  case splitProperty(
    model: String, String, into: [PropertyDescription], separator: String,
    onFailure: MigrationFailurePolicy = .fail)
  /// Puts properties together to the text of a new one and removes them; nulls are left out.
  case mergeProperties(
    model: String, [String], into: PropertyDescription, separator: String)
  /// Moves properties into a new model that has the model's key, and refers to it.
  ///
  /// A record all of whose values are null gets no record there and no reference.
  case extractModel(model: String, properties: [String], into: String, reference: String)

  /// Sets properties of the records that fulfil a condition to expressions of the query language.
  case transform(
    model: String, where: String? = nil, set: [String: String],
    onFailure: MigrationFailurePolicy = .fail)
  /// Writes records of values by name; properties that are not named have their default.
  case insert(model: String, [[String: StoredValue]])
  /// Deletes the records that fulfil a condition, and fails when they are fewer or more than expected.
  case delete(model: String, where: String? = nil, atLeast: Int = 0, atMost: Int? = nil)
  /// Fails when the records are not as expected.
  case assert(MigrationAssertion)

  /// Executes SQL statements, for backends with ``Capabilities/rawSQL``.
  ///
  /// The tables of models keep their shape; `undo` is the SQL of the way back.
  case sql(String, undo: String? = nil)
  /// Makes a view, trigger, virtual table or index of SQL, for backends with
  /// ``Capabilities/rawSQL``; one of the same name is replaced.
  case createObject(SQLObject)
  /// Removes such an object.
  case removeObject(SQLObject.Kind, String)

  /// Calls the code step of a name, which moves data and changes no schema.
  ///
  /// - Parameter changes: The models whose records the step may change; the others are proved to be
  ///   as they were.
  case code(String, changes: [String])
}

extension MigrationOperation {
  /// The name in the JSON form, such as `addProperty`.
  public var name: String { kind.rawValue }

  /// The operations by their names in the JSON form.
  enum Kind: String, CaseIterable {
    case createModel, renameModel, removeModel
    case addProperty, renameProperty, removeProperty, changeProperty, changePrimaryKey
    case addIndex, removeIndex, addReference, removeReference
    case splitProperty, mergeProperties, extractModel
    case transform, insert, delete, assert, sql, createObject, removeObject, code
  }

  var kind: Kind {
    switch self {
    case .createModel: .createModel
    case .renameModel: .renameModel
    case .removeModel: .removeModel
    case .addProperty: .addProperty
    case .renameProperty: .renameProperty
    case .removeProperty: .removeProperty
    case .changeProperty: .changeProperty
    case .changePrimaryKey: .changePrimaryKey
    case .addIndex: .addIndex
    case .removeIndex: .removeIndex
    case .addReference: .addReference
    case .removeReference: .removeReference
    case .splitProperty: .splitProperty
    case .mergeProperties: .mergeProperties
    case .extractModel: .extractModel
    case .transform: .transform
    case .insert: .insert
    case .delete: .delete
    case .assert: .assert
    case .sql: .sql
    case .createObject: .createObject
    case .removeObject: .removeObject
    case .code: .code
    }
  }

  /// What a backend must be able to do.
  public var requiredCapabilities: Capabilities {
    switch self {
    case .sql, .createObject, .removeObject: [.rawSQL]
    default: []
    }
  }
}
