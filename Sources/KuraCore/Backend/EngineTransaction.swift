/// One snapshot of a store.
///
/// A transaction belongs to one thread at a time. Every call after ``end()`` throws
/// ``StoreError/Code/transactionEnded``. A transaction that is dropped ends.
public protocol EngineReadTransaction: AnyObject {
  /// The schema in the file: ours, or what a foreign file declares.
  func storedSchema() throws(StoreError) -> StoredSchema

  /// The schema with some models in detail; of the others only names and kinds are needed.
  ///
  /// Whoever wants one model of a file that has very many need not wait for all. The default gives
  /// all in detail.
  ///
  /// - Parameter names: The names, in any letter case.
  func storedSchema(detailing names: Set<String>) throws(StoreError) -> StoredSchema

  /// The value that Kura's metadata has under a name, if any.
  func metadata(_ name: String) throws(StoreError) -> StoredValue?

  /// The entries of the file's history, the oldest first.
  ///
  /// The default keeps them in the metadata.
  func history() throws(StoreError) -> [HistoryEntry]

  /// A walk over the records of a query, in its order.
  func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor

  /// Reads the record of a key into a buffer of the layout's columns.
  ///
  /// What the buffer borrows stays valid until the transaction's next call.
  ///
  /// - Returns: Whether there is such a record.
  /// - Throws: ``StoreError/Code/wrongKey`` when count or types of the key are wrong.
  func record(_ key: RecordKey, in model: ModelLayout, into row: RowBuffer) throws(StoreError)
    -> Bool

  /// The result of an aggregate; see ``AggregateRequest`` for empty sets.
  func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue]

  /// How the backend would execute a query, one step a line.
  func explain(_ query: BoundQuery) throws(StoreError) -> [String]

  /// The number of the commit that the snapshot shows, for backends that number them: 1 more with each
  /// commit of anybody. `nil` when it is not known.
  var commitNumber: UInt64? { get }

  /// Ends the transaction; a write transaction rolls back. More calls do nothing.
  func end()
}

extension EngineReadTransaction {
  /// Not known.
  public var commitNumber: UInt64? { nil }

  /// The whole schema.
  public func storedSchema(detailing names: Set<String>) throws(StoreError) -> StoredSchema {
    try storedSchema()
  }
}

/// The one write transaction of a store.
///
/// Reads see its own changes. A call that throws has changed nothing; the transaction goes on,
/// unless the error says otherwise. A transaction that is dropped or ended rolls back.
public protocol EngineWriteTransaction: EngineReadTransaction {
  /// Applies one change of the schema; ``setSchema(_:)`` records what they lead to.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, ``StoreError/Code/unknownProperty``,
  ///   ``StoreError/Code/invalidName``, ``StoreError/Code/invalidSchema`` when something is there
  ///   already, is not there or is needed, ``StoreError/Code/missingValue`` when records would lack a
  ///   required value, ``StoreError/Code/notUnique`` when records have equal values of a new unique
  ///   index.
  func apply(_ change: SchemaChange) throws(StoreError)

  /// Sets a value of Kura's metadata; null removes it.
  func setMetadata(_ name: String, _ value: StoredValue) throws(StoreError)

  /// Adds an entry to the file's history, which is never changed otherwise.
  ///
  /// The default keeps it in the metadata.
  func appendHistory(_ entry: HistoryEntry) throws(StoreError)

  /// Whether references of written records are checked; the caller who turns it off proves them
  /// itself before the commit. The default checks always.
  func setChecksReferences(_ isOn: Bool) throws(StoreError)

  /// Objects beside the models, such as views and triggers, that cannot be used, with the reason.
  ///
  /// The default knows none.
  func brokenObjects() throws(StoreError) -> [String: String]

  /// Records a schema as that of the file, with its version.
  func setSchema(_ schema: Schema) throws(StoreError)

  /// Writes a record given as a row of the layout's columns.
  ///
  /// A null in the only key column of integer type is replaced by the number after the greatest one,
  /// in an empty model by 1.
  ///
  /// Of several reasons to refuse a record, that which comes first is given: a value's type, a missing
  /// value, the key, unique indexes, references; so it is with ``update(_:in:columns:from:)``.
  ///
  /// - Returns: The number given to the record, when one was.
  /// - Throws: ``StoreError/Code/duplicateKey`` (`.insert`), ``StoreError/Code/notUnique``,
  ///   ``StoreError/Code/missingValue``, ``StoreError/Code/brokenReference``,
  ///   ``StoreError/Code/wrongType``, ``StoreError/Code/notStorable``,
  ///   ``StoreError/Code/limitReached`` when there is no number after the greatest one.
  @discardableResult
  func write(_ row: RowBuffer, into model: ModelLayout, mode: WriteMode) throws(StoreError)
    -> Int64?

  /// Sets some columns of the record of a key.
  ///
  /// - Parameter columns: The columns to set; the row's slots of the same indices have the values.
  /// - Returns: Whether there is such a record.
  func update(_ key: RecordKey, in model: ModelLayout, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Bool

  /// Sets some columns of all records of a query, in one pass.
  ///
  /// When that breaks rules in several ways, the error is any of theirs.
  ///
  /// - Returns: The number of records.
  func update(matching query: BoundQuery, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Int

  /// Deletes the record of a key.
  ///
  /// - Returns: Whether there was such a record.
  func delete(_ key: RecordKey, in model: ModelLayout) throws(StoreError) -> Bool

  /// Deletes all records of a query.
  ///
  /// - Returns: The number of records, without those that delete rules removed.
  func delete(matching query: BoundQuery) throws(StoreError) -> Int

  /// Deletes records of several models together: a rule that denies looks at what is left when all of
  /// them are gone. After an error, the caller undoes what was done.
  ///
  /// - Returns: For each record whether it was there when its turn came.
  func delete(_ records: [(model: ModelLayout, key: RecordKey)]) throws(StoreError) -> [Bool]

  /// Begins a savepoint inside the transaction; they nest.
  func beginSavepoint() throws(StoreError)

  /// Ends the newest savepoint and keeps its changes.
  func releaseSavepoint() throws(StoreError)

  /// Undoes what was done since the newest savepoint, and ends it.
  func rollBackToSavepoint() throws(StoreError)

  /// Makes the changes durable and visible to all later snapshots, and ends the transaction.
  ///
  /// - Throws: ``StoreError/Code/brokenReference`` with the transaction still open,
  ///   ``StoreError/Code/commitOutcomeUnknown``, ``StoreError/Code/diskFull`` after a roll-back.
  func commit() throws(StoreError)

  /// Notes from now on which records are written and deleted, also by delete rules; called before the
  /// first write.
  ///
  /// The default notes that anything may have changed.
  func recordChanges(in recorder: ChangeRecorder)

  /// After the commit its number, as ``EngineReadTransaction/commitNumber`` of the first snapshot that
  /// shows it has it; `nil` when nothing was written or the number is not known.
  var committedNumber: UInt64? { get }

  /// Whether the transaction failed for a reason that is gone when all of it is done again in
  /// another one, such as a memory map that was too small. Asked after the end.
  var isWorthRepeating: Bool { get }

  /// Fills an empty replacement from a model by a walk of the engine's own.
  ///
  /// The default fills nothing, and the caller writes the records itself.
  ///
  /// - Returns: Whether it was filled; after an error it is as empty as before.
  func fill(
    _ replacement: ModelLayout, from model: ModelLayout, by transform: any RecordTransform
  ) throws(StoreError) -> Bool
}

extension EngineWriteTransaction {
  /// Notes that anything may have changed.
  public func recordChanges(in recorder: ChangeRecorder) { recorder.noteEverything() }

  /// Not known.
  public var committedNumber: UInt64? { nil }

  /// No failure is worth a repetition.
  public var isWorthRepeating: Bool { false }
}

/// How a written record meets one of the same key.
public enum WriteMode: Sendable, Hashable {
  /// The key must be new.
  case insert
  /// A record of the same key is replaced, all columns.
  case upsert
}

/// One change of a schema.
public enum SchemaChange: Sendable, Hashable {
  /// Makes a model with its indexes; the models that it refers to exist or are made in the same
  /// transaction.
  case createModel(ModelDescription)
  /// Removes a model of this name with all its records; references to it from other models are not
  /// looked at and must be removed in the same transaction.
  case dropModel(String)
  /// Adds a property as the last one; the records that are there have its default value, or null.
  ///
  /// A reference takes no default value here.
  case addProperty(model: String, PropertyDescription)
  /// Removes a property with its values; neither the primary key nor an index may name it.
  case removeProperty(model: String, String)
  /// Gives a property another name; keys, indexes and references follow.
  case renameProperty(model: String, from: String, to: String)
  /// Gives a model another name; references follow.
  case renameModel(from: String, to: String)
  /// Changes default, requiredness or reference of the property of this name; the type stays.
  ///
  /// Throws ``StoreError/Code/missingValue`` when a value becomes required that a record lacks, and
  /// ``StoreError/Code/brokenReference`` when a value of a new reference is no record's key.
  case changeProperty(model: String, PropertyDescription)
  /// Says what list a model keeps.
  case setList(model: String, ListDescription?)
  /// Makes a model without indexes under a name that begins with `kura_`, to be filled and then put
  /// in the place of another one.
  case createReplacement(ModelDescription)
  /// Puts a replacement with its records in the place of a model, gives it indexes, and removes the
  /// old records; references to the model lead to the replacement from now on and are not checked.
  ///
  /// Throws ``StoreError/Code/notUnique`` for equal values of a unique index.
  case replaceModel(String, by: String, indexes: [IndexDescription])
  /// Makes an index over the records that are there.
  case addIndex(model: String, IndexDescription)
  /// Removes an index.
  case removeIndex(model: String, IndexDescription)
}

/// Reads of raw SQL, for backends with ``Capabilities/rawSQL``.
public protocol SQLReadTransaction: EngineReadTransaction {
  /// A walk over the rows of one SQL statement.
  ///
  /// - Parameters:
  ///   - sql: One statement; what follows it must be blank or a comment.
  ///   - parameters: Values by name, with or without the leading `:`, `@` or `$`, or by number.
  /// - Throws: ``StoreError/Code/invalidSQL``, ``StoreError/Code/readOnly`` when it would write.
  func cursor(sql: String, parameters: [String: StoredValue]) throws(StoreError)
    -> any RecordCursor
}

/// Writes of raw SQL.
public protocol SQLWriteTransaction: SQLReadTransaction, EngineWriteTransaction {
  /// Executes SQL statements.
  ///
  /// - Returns: The number of rows that they inserted, updated or deleted.
  @discardableResult
  func execute(sql: String, parameters: [String: StoredValue]) throws(StoreError) -> Int
}

extension EngineWriteTransaction {
  /// Deletes one record after the other, each with its rules.
  public func delete(_ records: [(model: ModelLayout, key: RecordKey)]) throws(StoreError)
    -> [Bool]
  {
    var found: [Bool] = []
    for record in records { found.append(try delete(record.key, in: record.model)) }
    return found
  }
}
