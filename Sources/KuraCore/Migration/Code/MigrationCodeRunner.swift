/// Runs the code steps of a migration, each over a store of its own that sees the transaction.
final class MigrationCodeRunner {
  private let engine: any StorageEngine
  private let configuration: StoreConfiguration
  private let steps: [String: MigrationCodeStep]
  /// The snapshot of the last commit before the migration, and its schema.
  private var old: (transaction: any EngineReadTransaction, schema: Schema)?

  init(_ engine: any StorageEngine, _ configuration: StoreConfiguration) {
    self.engine = engine
    self.configuration = configuration
    steps = configuration.migrations.codeSteps
  }

  /// Takes the snapshot that steps see as the old records, before anything changes.
  func begin(_ schema: Schema) throws(StoreError) { old = (try engine.beginRead(), schema) }

  /// Gives the snapshot back, which a commit may have to wait for.
  func end() {
    old?.transaction.end()
    old = nil
  }

  deinit { end() }

  private func store(_ schema: Schema, isReadOnly: Bool) -> Store {
    Store(engine, configuration, schema: schema, isReadOnly: isReadOnly, ownsEngine: false)
  }

  /// Runs a step.
  ///
  /// - Throws: What the step throws when it is a ``StoreError``, ``StoreError/Code/codeStepFailed``
  ///   for other errors, ``StoreError/Code/needsAppCode``.
  func run(
    _ name: String, _ transaction: any EngineWriteTransaction, schema: Schema,
    changes: Set<String>, check: @escaping () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let step = steps[name], let old else {
      throw StoreError(
        .needsAppCode, "the code step \"\(name)\" is not known here",
        suggestion: "migrate with the app that has it")
    }
    let guarded = CodeStepTransaction(transaction, changes: changes)
    defer { guarded.end() }
    let context = MigrationContext(
      old: ReadTransaction(old.transaction, store(old.schema, isReadOnly: true)),
      new: WriteTransaction(guarded, store(schema, isReadOnly: false)), changes: changes,
      check: check)
    do {
      try step.body(context)
      try context.finish()
    } catch let error as StoreError {
      throw error
    } catch {
      // Not its text, which may have values of records in it.
      throw StoreError(
        .codeStepFailed, "the code step \"\(name)\" threw \(type(of: error))",
        suggestion: "see the step's code for what that means")
    }
    guard !context.new.isBroken else {
      throw StoreError(.transactionFailed, "a savepoint of the code step could not be undone")
    }
  }

  /// Writes with the store's own rules, such as those of owning lists.
  func writing<R>(
    _ transaction: any EngineWriteTransaction, schema: Schema,
    _ body: (WriteTransaction) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try body(WriteTransaction(transaction, store(schema, isReadOnly: false)))
  }
}
