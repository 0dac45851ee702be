package import KuraCore

/// Both states of a followed file side by side: what changed in the schema, and in tables.
///
/// Not for several threads, and over before ``FollowedFile/advance()``.
package final class StateComparison {
  /// An object of the schema that is another one, or only in one state.
  package struct SchemaChange: Sendable {
    /// The kind, such as `table` or `index`.
    package let kind: String
    /// The name.
    package let name: String
    /// The declaration before; `nil` without one.
    package let old: String?
    /// The declaration now; `nil` without one.
    package let new: String?
  }

  /// A table of one or both states.
  package struct Table {
    /// The name.
    package let name: String
    /// The table before; `nil` when it was not there.
    package let old: TableSide?
    /// The table now; `nil` when it is not there.
    package let new: TableSide?
  }

  /// A table in one state.
  package struct TableSide {
    /// The table as found.
    package let model: StoredModel
    /// Its columns.
    package let layout: ModelLayout
  }

  /// The objects of the schema that changed, in the order of their names.
  package let schemaChanges: [SchemaChange]
  /// All tables, those that are gone last.
  package let tables: [Table]
  let old: SQLiteTransaction
  let new: SQLiteTransaction
  private let rows: [String: ChangedRanges.Rows]
  /// Whether any table may have changed in any row.
  private let isUncertain: Bool
  private let states: (old: PageState, new: PageState)

  /// Opens both states of a file.
  ///
  /// - Throws: ``StoreError/Code/damaged``.
  package init(_ file: FollowedFile) throws(StoreError) {
    states = (file.oldState, file.newState)
    old = try file.readOldState()
    new = try file.readNewState()
    let (before, after) = (try StateComparison.objects(old), try StateComparison.objects(new))
    schemaChanges = StateComparison.changes(before, after)
    let newSchema = try new.storedSchema()
    let oldSchema = schemaChanges.isEmpty ? newSchema : try old.storedSchema()
    tables = StateComparison.pairs(oldSchema, newSchema)
    var ranges: [String: ChangedRanges.Rows] = [:]
    var isUncertain = true
    if let changed = file.changedPages {
      var finder = ChangedRanges(file, changed)
      // A tree that cannot be walked is left to SQLite, which says what is wrong with it.
      if let found = try? finder.find(old: before.compactMap(\.root), new: after.compactMap(\.root))
      {
        ranges = found
        isUncertain = finder.isUncertain
      }
    }
    rows = ranges
    self.isUncertain = isUncertain
  }

  /// Ends both.
  package func end() {
    old.end()
    new.end()
  }

  /// The schema of the newer state.
  package func schema() throws(StoreError) -> StoredSchema { try new.storedSchema() }

  // MARK: The schema

  /// A row of the schema.
  private struct Object {
    let kind: String
    let name: String
    let page: Int64
    let sql: String?

    var root: ChangedRanges.Root? {
      guard page > 0, let page = UInt32(exactly: page) else { return nil }
      return ChangedRanges.Root(kind: kind, name: name, page: page)
    }
  }

  private static func objects(_ transaction: SQLiteTransaction) throws(StoreError) -> [Object] {
    let statement = try transaction.connection.prepare(
      "SELECT type, name, rootpage, sql FROM sqlite_schema")
    // The schema is a table itself, whose pages belong to nothing else.
    var objects = [Object(kind: "schema", name: "sqlite_schema", page: 1, sql: nil)]
    while try statement.step() {
      objects.append(
        Object(
          kind: statement.text(0) ?? "", name: statement.text(1) ?? "",
          page: statement.integer(2), sql: statement.text(3)))
    }
    return objects
  }

  private static func changes(_ before: [Object], _ after: [Object]) -> [SchemaChange] {
    func byName(_ objects: [Object]) -> [String: Object] {
      Dictionary(objects.map { ($0.kind + " " + $0.name, $0) }, uniquingKeysWith: { $1 })
    }
    let (old, new) = (byName(before), byName(after))
    return Set(old.keys).union(new.keys).sorted().compactMap { key in
      let (left, right) = (old[key], new[key])
      guard left?.sql != right?.sql || (left == nil) != (right == nil),
        let object = right ?? left
      else { return nil }
      return SchemaChange(kind: object.kind, name: object.name, old: left?.sql, new: right?.sql)
    }
  }

  private static func pairs(_ old: StoredSchema, _ new: StoredSchema) -> [Table] {
    func sides(_ schema: StoredSchema) -> [(String, TableSide)] {
      schema.models.filter { $0.kind != .view }.map { model in
        let kura = schema.kuraSchema?.model(named: model.name).map { ModelLayout($0) }
        return (model.name, TableSide(model: model, layout: kura ?? ModelLayout(model)))
      }
    }
    let before = sides(old)
    let after = sides(new)
    let byName = Dictionary(before, uniquingKeysWith: { first, _ in first })
    let names = Set(after.map(\.0))
    return after.map { Table(name: $0.0, old: byName[$0.0], new: $0.1) }
      + before.filter { !names.contains($0.0) }.map { Table(name: $0.0, old: $0.1, new: nil) }
  }

  // MARK: Rows

  /// Whether a table may have changed.
  package func mayHaveChanged(_ table: Table) -> Bool { isUncertain || rows[table.name] != nil }

  /// Gives the changes of a table's rows in the order of its rows.
  ///
  /// - Throws: ``StoreError/Code/damaged``, ``StoreError/Code/undecodable``, and what the body throws.
  package func changes(of table: Table, _ body: TableDifference.Body) throws(StoreError) {
    guard mayHaveChanged(table) else { return }
    let difference = TableDifference(
      table, old: old, new: new, rows: isUncertain ? .all : rows[table.name] ?? .all,
      states: states)
    try difference.run(body)
  }

  /// Gives the rows that a table has now.
  package func present(in table: Table, _ body: (RowBuffer) throws(StoreError) -> Void)
    throws(StoreError)
  {
    guard let side = table.new else { return }
    try TableWalk(side, new).all(body)
  }
}
