/// The schema as found in a file, made by Kura or by anybody.
public struct StoredSchema: Sendable {
  /// Kura's own schema, when Kura made the file and its record of it can be read.
  public var kuraSchema: Schema?
  /// The file's version number: Kura's schema version, or SQLite's `user_version`.
  public var version: Int
  /// Tables, views and named databases, in the file's order.
  public var models: [StoredModel]
  /// What else the file declares: indexes and triggers that belong to no listed model.
  public var otherObjects: [StoredObject]

  /// Makes a stored schema.
  public init(
    kuraSchema: Schema? = nil, version: Int = 0, models: [StoredModel],
    otherObjects: [StoredObject] = []
  ) {
    self.kuraSchema = kuraSchema
    self.version = version
    self.models = models
    self.otherObjects = otherObjects
  }

  /// The model of exactly this name, else the only one that differs in letter case alone.
  public func model(named name: String) -> StoredModel? {
    if let exact = models.first(where: { $0.name == name }) { return exact }
    let folded = models.filter { $0.name.lowercased() == name.lowercased() }
    return folded.count == 1 ? folded[0] : nil
  }
}

/// A table, view or named database as found in a file.
public struct StoredModel: Sendable {
  /// What kind of thing holds the records.
  public enum Kind: String, Sendable, Codable {
    /// An ordinary table.
    case table
    /// A query with a name.
    case view
    /// A table of an SQLite module.
    case virtual
    /// A table that belongs to a virtual table.
    case shadow
    /// A table of the engine or of Kura itself, hidden unless asked for.
    case system
    /// A named key-value database.
    case database
  }

  /// The name.
  public var name: String
  /// The kind.
  public var kind: Kind
  /// The columns in order, generated and hidden ones included.
  public var columns: [StoredColumn]
  /// The names of the key columns, most significant first; empty when only a row number identifies.
  public var primaryKey: [String]
  /// The indexes.
  public var indexes: [StoredIndex]
  /// The foreign keys.
  public var foreignKeys: [StoredForeignKey]
  /// The triggers.
  public var triggers: [StoredObject]
  /// Whether the table is declared WITHOUT ROWID.
  public var isWithoutRowID: Bool
  /// Whether the table is declared STRICT.
  public var isStrict: Bool
  /// A name by which the row number can be read that no column hides, if there is one.
  public var rowIDName: String?
  /// The module of a virtual table, or the virtual table that a shadow table belongs to.
  public var module: String?
  /// The declaration as stored.
  public var sql: String?
  /// Why the object cannot be used, such as `no such table: missing_table`.
  public var problem: String?
  /// Whether the problem is damage of the file and not, say, a module that is not there.
  public var isDamaged = false

  /// Makes a stored model.
  public init(
    name: String, kind: Kind, columns: [StoredColumn] = [], primaryKey: [String] = [],
    indexes: [StoredIndex] = [], foreignKeys: [StoredForeignKey] = [],
    triggers: [StoredObject] = [], isWithoutRowID: Bool = false, isStrict: Bool = false,
    rowIDName: String? = nil, module: String? = nil, sql: String? = nil, problem: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.columns = columns
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.foreignKeys = foreignKeys
    self.triggers = triggers
    self.isWithoutRowID = isWithoutRowID
    self.isStrict = isStrict
    self.rowIDName = rowIDName
    self.module = module
    self.sql = sql
    self.problem = problem
  }
}

/// A column as found in a file.
public struct StoredColumn: Sendable {
  /// Whether and how the column's values are computed.
  public enum Generation: String, Sendable, Codable {
    /// Computed when read.
    case virtual
    /// Computed when written.
    case stored
  }

  /// The name.
  public var name: String
  /// The declared type, as written; may be empty.
  public var declaredType: String
  /// The logical type: Kura's own for its files, else what the declaration promises.
  public var type: ValueType
  /// Whether null is allowed.
  public var isOptional: Bool
  /// The default as an SQL expression.
  public var defaultSQL: String?
  /// How the value is computed, if it is.
  public var generation: Generation?
  /// Whether `SELECT *` leaves the column out.
  public var isHidden: Bool
  /// The collation, when it is not the engine's default.
  public var collation: String?

  /// Makes a stored column.
  public init(
    name: String, declaredType: String = "", type: ValueType = .any, isOptional: Bool = true,
    defaultSQL: String? = nil, generation: Generation? = nil, isHidden: Bool = false,
    collation: String? = nil
  ) {
    self.name = name
    self.declaredType = declaredType
    self.type = type
    self.isOptional = isOptional
    self.defaultSQL = defaultSQL
    self.generation = generation
    self.isHidden = isHidden
    self.collation = collation
  }
}

/// An index as found in a file.
public struct StoredIndex: Sendable {
  /// One part of an index key.
  public struct Term: Sendable {
    /// The column's name; `nil` for an expression.
    public var column: String?
    /// Whether the term is in descending order.
    public var isDescending: Bool
    /// The collation of the term.
    public var collation: String?

    /// Makes a term.
    public init(column: String?, isDescending: Bool = false, collation: String? = nil) {
      self.column = column
      self.isDescending = isDescending
      self.collation = collation
    }
  }

  /// Where an index comes from.
  public enum Origin: String, Sendable, Codable {
    /// A CREATE INDEX statement.
    case statement
    /// A UNIQUE constraint.
    case unique
    /// A PRIMARY KEY constraint.
    case primaryKey
  }

  /// The name.
  public var name: String
  /// The key parts in order.
  public var terms: [Term]
  /// Whether keys are unique.
  public var isUnique: Bool
  /// Whether only some rows are indexed.
  public var isPartial: Bool
  /// Where the index comes from.
  public var origin: Origin
  /// The declaration as stored; `nil` for indexes of constraints.
  public var sql: String?

  /// Makes a stored index.
  public init(
    name: String, terms: [Term], isUnique: Bool, isPartial: Bool, origin: Origin, sql: String?
  ) {
    self.name = name
    self.terms = terms
    self.isUnique = isUnique
    self.isPartial = isPartial
    self.origin = origin
    self.sql = sql
  }
}

/// A foreign key as found in a file.
public struct StoredForeignKey: Sendable {
  /// The referring columns.
  public var columns: [String]
  /// The table referred to.
  public var target: String
  /// The columns referred to; `nil` elements mean the target's primary key.
  public var targetColumns: [String?]
  /// The action on deletion, as SQL, such as `CASCADE`.
  public var onDelete: String
  /// The action on a change of the key, as SQL.
  public var onUpdate: String

  /// Makes a stored foreign key.
  public init(
    columns: [String], target: String, targetColumns: [String?], onDelete: String,
    onUpdate: String
  ) {
    self.columns = columns
    self.target = target
    self.targetColumns = targetColumns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
  }
}

/// A trigger, or another declared object that holds no records.
public struct StoredObject: Sendable {
  /// The kind as the file calls it, such as `trigger`.
  public var kind: String
  /// The name.
  public var name: String
  /// The table it belongs to.
  public var owner: String
  /// The declaration as stored.
  public var sql: String?

  /// Makes a stored object.
  public init(kind: String, name: String, owner: String, sql: String?) {
    self.kind = kind
    self.name = name
    self.owner = owner
    self.sql = sql
  }
}
