import KuraCore

/// What one connection keeps ready for the single records of one model.
///
/// The fixed statements and the forms of the columns are found by the layout's identity, so that no
/// text is built or hashed for a record.
final class PreparedModel {
  /// The fixed statements of a model.
  enum StatementKind: Int, CaseIterable { case read, insert, upsert, delete }

  /// A column that is written.
  struct WrittenColumn {
    let index: Int
    let codec: ColumnCodec
  }

  let layout: ModelLayout
  /// The forms of all columns.
  let codecs: [ColumnCodec]
  /// What the codecs take without a closer look.
  let plainKinds: [ColumnSlot.Kind]
  /// The columns that are written, in the order of the statements' parameters.
  let written: [WrittenColumn]
  /// The only key column, when there is one; its number is chosen by SQLite when it is null.
  let singleKey: Int?
  /// Whether the transaction knows that no record has the greatest number, after which SQLite would
  /// choose free numbers at random (autoinc.html).
  var hasNextNumber = false
  private var statements = [SQLiteStatement?](repeating: nil, count: StatementKind.allCases.count)

  init(_ layout: ModelLayout) {
    self.layout = layout
    codecs = layout.columns.map { ColumnCodec($0.type, isKuraModel: layout.isKuraModel) }
    plainKinds = codecs.map(\.plainKind)
    written = layout.columns.indices.filter { !layout.columns[$0].isGenerated }.map { index in
      WrittenColumn(
        index: index,
        codec: ColumnCodec(layout.columns[index].type, isKuraModel: layout.isKuraModel))
    }
    singleKey = layout.keyColumns.count == 1 ? layout.keyColumns[0] : nil
  }

  /// The statement of a kind, reset; whoever uses it resets it again.
  @inline(__always)
  func statement(_ kind: StatementKind, _ connection: SQLiteConnection) throws(StoreError)
    -> SQLiteStatement
  {
    if let statement = statements[kind.rawValue] { return statement }
    return try prepare(kind, connection)
  }

  @inline(never)
  private func prepare(_ kind: StatementKind, _ connection: SQLiteConnection) throws(StoreError)
    -> SQLiteStatement
  {
    let statement = try connection.prepare(sql(kind), isPersistent: true)
    statements[kind.rawValue] = statement
    return statement
  }

  private func sql(_ kind: StatementKind) -> String {
    let table = SQLLiterals.quoted(layout.name)
    return switch kind {
    case .read:
      "SELECT " + layout.columns.indices.map(layout.quotedColumn).joined(separator: ", ")
        + " FROM \(table) WHERE " + TableLowering.keyCondition(layout)
    case .insert: TableLowering.write(layout, .insert)
    case .upsert: TableLowering.write(layout, .upsert)
    case .delete: "DELETE FROM \(table) WHERE " + TableLowering.keyCondition(layout)
    }
  }

  /// Forgets what statements remember of the last record.
  func forgetValues() {
    hasNextNumber = false
    for case let statement? in statements { statement.clearBindings() }
  }
}

/// The prepared models of one connection, the one used last first.
final class PreparedModels {
  private var models: [PreparedModel] = []
  private let capacity = 32

  /// The prepared form of a model.
  func model(_ layout: ModelLayout) -> PreparedModel {
    if let index = models.firstIndex(where: { $0.layout === layout }) {
      if index > 0 { models.swapAt(0, index) }
      return models[0]
    }
    if models.count >= capacity { models.removeLast() }
    let model = PreparedModel(layout)
    models.insert(model, at: 0)
    return model
  }

  /// Forgets what statements remember of the last records.
  func forgetValues() { for model in models { model.forgetValues() } }

  /// Forgets which models have a next number, after a change of records that were not looked at.
  func forgetNextNumbers() { for model in models { model.hasNextNumber = false } }

  /// Forgets all models and with them their statements.
  func removeAll() { models.removeAll() }
}
