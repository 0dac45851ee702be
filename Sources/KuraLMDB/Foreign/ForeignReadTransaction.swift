package import KuraCore

/// One state of an LMDB file of another program.
package final class ForeignReadTransaction: EngineReadTransaction {
  /// Whether a transaction goes on; shared with the walks that may outlive it.
  final class Life {
    var isEnded = false

    func check() throws(StoreError) {
      guard isEnded else { return }
      throw StoreError(
        .transactionEnded, "the transaction has ended",
        suggestion: "use transaction and cursors only inside the closure")
    }
  }

  /// The state.
  package let snapshot: PageSnapshot
  private let limits: ExecutionLimits?
  private let life = Life()
  private var found: [ForeignDatabase]?

  init(_ snapshot: PageSnapshot, _ limits: ExecutionLimits?) {
    self.snapshot = snapshot
    self.limits = limits
  }

  /// The databases of the file.
  package func databases() throws(StoreError) -> [ForeignDatabase] {
    try life.check()
    if let found { return found }
    let databases = try snapshot.foreignDatabases()
    found = databases
    return databases
  }

  package func storedSchema() throws(StoreError) -> StoredSchema {
    var models: [StoredModel] = []
    for database in try databases() {
      let isInteger = database.tree?.order == .integer
      let hasIntegers = database.flags.contains(.integerDup)
      models.append(
        StoredModel(
          name: database.name, kind: .database,
          columns: [
            StoredColumn(name: "key", type: isInteger ? .integer : .text, isOptional: false),
            StoredColumn(name: "value", type: hasIntegers ? .integer : .any, isOptional: false),
          ], primaryKey: ["key"], problem: database.problem))
    }
    return StoredSchema(models: models)
  }

  package func metadata(_ name: String) throws(StoreError) -> StoredValue? {
    try life.check()
    return nil
  }

  /// The entries of a database as records.
  ///
  /// - Parameters:
  ///   - name: The name as people write it.
  ///   - key: What turns keys into values; without it, what the database's flags say.
  ///   - value: What turns values into values.
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/damaged``.
  package func source(
    _ name: String, key: (any EntryDecoder)? = nil, value: (any EntryDecoder)? = nil
  ) throws(StoreError) -> ForeignRecordSource {
    guard let database = try databases().first(where: { $0.name == name }) else {
      throw StoreError(.unknownModel, "there is no database \"\(name)\"")
    }
    guard let tree = database.tree else {
      throw StoreError(.damaged, "\"\(name)\" cannot be read: \(database.problem ?? "")")
    }
    return try ForeignRecordSource(
      snapshot, database, tree, decoders: (key, value), limits: limits, life)
  }

  package func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try source(query.layout.name).prepared(for: query).cursor(for: query)
  }

  package func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try source(request.query.layout.name).prepared(for: request.query).aggregate(request)
  }

  package func explain(_ query: BoundQuery) throws(StoreError) -> [String] {
    try source(query.layout.name).explanation(of: query)
  }

  package func record(_ key: RecordKey, in model: ModelLayout, into row: RowBuffer)
    throws(StoreError) -> Bool
  {
    let source = try source(model.name)
    guard key.count == 1 else {
      throw StoreError(
        .wrongKey, "the key of \"\(model.name)\" is one value", found: "\(key.count) values")
    }
    let bytes: [UInt8]
    switch key.first {
    case .integer(let number) where source.tree.order == .integer && number >= 0:
      bytes = EntryRange.number(number, size: source.keySize)
    case .text(let text): bytes = Array(text.utf8)
    case .malformedText(let value), .data(let value): bytes = value
    default:
      throw StoreError(
        .wrongKey, "a value of this type cannot be a key of \"\(model.name)\"",
        found: key.first.typeName, expected: source.layout.columns[0].type.rawValue)
    }
    let walk = EntryWalk(snapshot, source.tree, .key(bytes))
    guard try walk.next(), unsafe walk.key.elementsEqual(bytes) else { return false }
    row.reset()
    let key = unsafe walk.key
    let value = unsafe walk.value
    unsafe source.fill(row, Array(0..<row.count), key: key, value: value)
    lastWalk = walk
    return true
  }

  /// Keeps what the caller's row borrows.
  private var lastWalk: EntryWalk?

  package func end() { life.isEnded = true }
}
