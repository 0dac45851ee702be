/// Makes a struct a model: its stored properties are the model's properties.
///
/// ```swift
/// @Model struct CoopResult {
///   @PrimaryKey var id = ObjectID()
///   var goldenEggs: Int?
///   @Indexed var playedAt: Date
///   @Unique var uploadCode: String?
///   @Relation(onDelete: .nullify) var player: Reference<Player>?
///   @Renamed(from: "memo") var note: String = ""
/// }
/// ```
///
/// A literal default is also the value that records get which were written before the property was
/// added. Computed and static properties are no part of the model, nor are those marked
/// ``Transient()``.
///
/// - Parameters:
///   - name: The model's name in the store; without it the struct's.
///   - primaryKey: The properties of a key of several, most significant first.
///   - unique: Lists of properties whose values together are unique.
///   - indexes: Lists of properties to index together.
///   - renamedFrom: The model's earlier name, so that a migration renames it.
@attached(
  extension, conformances: Model, Identifiable,
  names: named(Key), named(Properties), named(modelName), named(modelDescription),
  named(modelLists),
  named(modelRenames), named(modelProperties), named(modelKey), named(init), named(write)
)
public macro Model(
  _ name: String? = nil, primaryKey: [String] = [], unique: [[String]] = [],
  indexes: [[String]] = [], renamedFrom: String? = nil
) = #externalMacro(module: "KuraMacros", type: "ModelMacro")

/// Marks the property that is the primary key.
@attached(peer)
public macro PrimaryKey() = #externalMacro(module: "KuraMacros", type: "MarkerMacro")

/// Makes an index on the property.
@attached(peer)
public macro Indexed() = #externalMacro(module: "KuraMacros", type: "MarkerMacro")

/// Makes the property's values unique; any number of records may have none.
@attached(peer)
public macro Unique() = #externalMacro(module: "KuraMacros", type: "MarkerMacro")

/// Says what deletions do to a reference or a list of references.
///
/// For a ``Reference`` it is what deleting the record does that is referred to; without it an optional
/// reference is nullified and a required one denies. For a ``ReferenceList`` see
/// ``ModelList/onDelete``; without it the elements of a deleted record are removed.
@attached(peer)
public macro Relation(onDelete: ReferenceDescription.DeleteRule) =
  #externalMacro(module: "KuraMacros", type: "MarkerMacro")

/// Says the property's earlier name, so that a migration renames it.
@attached(peer)
public macro Renamed(from: String) = #externalMacro(module: "KuraMacros", type: "MarkerMacro")

/// Leaves a property out of the model; it has its default in every record that is read.
@attached(peer)
public macro Transient() = #externalMacro(module: "KuraMacros", type: "MarkerMacro")
