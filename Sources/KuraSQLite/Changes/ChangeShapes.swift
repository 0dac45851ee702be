import CSQLite
import KuraCore

/// What must be known of a file's tables to say which record a changed row is.
@safe
struct ChangeShapes {
  /// One table.
  @safe
  struct Table {
    /// A column of the key or of the description.
    struct Column {
      /// The column's place in the table.
      let index: Int32
      /// Its place in the model's layout.
      let place: Int
      let codec: ColumnCodec
      /// Whether whole numbers are stored as integers and mean doubles.
      let isReal: Bool
      /// What rows have that are older than the column; `nil` for null, and when it is not known.
      let initial: StoredValue?
      /// Whether such rows may have another value than null.
      let hasDefault: Bool
    }

    let isKuraModel: Bool
    /// Whether the hook's values are those of the columns; SQLite counts columns in another way when
    /// some are computed.
    let isTold: Bool
    /// The columns of the key; `nil` when it is the row's number.
    let key: [Column]?
    let columns: [Column]
    /// The virtual table that the table belongs to.
    let owner: String?
    /// The null that SQLite gives for a column that a row is too old to have.
    let missing: OpaquePointer?
  }

  /// The tables by their names.
  private(set) var tables: [String: Table] = [:]
  /// Views and virtual tables, whose changes the hook does not tell.
  private(set) var unseen: [String] = []
  private(set) var hasTriggers = false
  /// The tables that deletions in a table reach, by its name.
  private var referrers: [String: Set<String>] = [:]
  /// The models that were asked for; `nil` for all.
  let wanted: Set<String>?
  /// What tells that the schema is still the same.
  let version: [Int64]

  /// Reads the shapes of the tables of a file.
  init(_ connection: SQLiteConnection, wanted: Set<String>?, version: [Int64])
    throws(StoreError)
  {
    self.wanted = wanted
    self.version = version
    let schema = try SchemaReader(connection).read(detailing: wanted)
    let missing = unsafe try ChangeShapes.missingValue(connection)
    for model in schema.models {
      switch model.kind {
      case .view, .virtual: unseen.append(model.name)
      case .table, .shadow, .system, .database:
        let description = schema.kuraSchema?.model(named: model.name)
        tables[model.name] = unsafe Table(model, description, missing)
      }
    }
    hasTriggers =
      try connection.integer("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' LIMIT 1") != nil
    readReferrers(schema)
  }

  /// The value that SQLite gives for columns that there are not.
  private static func missingValue(_ connection: SQLiteConnection) throws(StoreError)
    -> OpaquePointer?
  {
    let statement = try connection.prepare("SELECT 1")
    return unsafe sqlite3_column_value(statement.handle, 0)
  }

  private mutating func readReferrers(_ schema: StoredSchema) {
    for model in schema.models {
      for key in model.foreignKeys {
        referrers[Schema.asciiFolded(key.target), default: []].insert(model.name)
      }
    }
  }

  /// The tables that a write to a table may change: its own, and those that foreign keys reach.
  func reached(from model: String) -> Set<String> {
    var (found, pending): (Set<String>, [String]) = ([model], [model])
    while let next = pending.popLast() {
      for other in referrers[Schema.asciiFolded(next)] ?? [] where found.insert(other).inserted {
        pending.append(other)
      }
    }
    return found
  }
}
