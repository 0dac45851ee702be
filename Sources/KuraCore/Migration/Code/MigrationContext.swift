/// What a code step of a migration works with: the records as they were, and as they are to be.
///
/// ```swift
/// MigrationCodeStep("normalise phones") { context in
///   try context.forEach("Person") { old, new in
///     try new.set("phone", .text(normalised(try old.value("phone", as: String.self))))
///   }
/// }
/// ```
///
/// The context and its transactions end with the step.
public final class MigrationContext {
  /// The records as they were before the migration's first operation, with the schema of that time:
  /// models and properties that the migration removes can be read here.
  public let old: ReadTransaction
  /// The records as they are now, with the schema that the operations before the step led to.
  public let new: WriteTransaction

  private let changes: Set<String>
  private let check: () throws(StoreError) -> Void
  private let deletions = KeySpool()

  init(
    old: ReadTransaction, new: WriteTransaction, changes: Set<String>,
    check: @escaping () throws(StoreError) -> Void
  ) {
    self.old = old
    self.new = new
    self.changes = changes
    self.check = check
  }

  /// Calls a body for each old record and the new record of the same key, one by one, in constant
  /// memory; a changed new record is written.
  ///
  /// Old records without a new one are passed over.
  ///
  /// - Parameters:
  ///   - model: The name of the model before the migration.
  ///   - name: Its name now, when it is another one.
  /// - Throws: What the body throws, and what reading and writing throw.
  public func forEach(
    _ model: String, as name: String? = nil,
    _ body: (_ old: Record, _ new: inout Record) throws -> Void
  ) throws {
    let target = name ?? model
    try checkMayChange(target)
    var count = 0
    try old.forEach(Query(model)) { before in
      count += 1
      if count % 1024 == 0 { try check() }
      guard let key = before.key, let current = try new.record(target, key: key) else { return }
      var changed = current
      try body(before, &changed)
      guard changed != current else { return }
      guard changed.key == key else {
        throw StoreError(
          .wrongKey, "a code step changed the key of a record of \"\(target)\"",
          suggestion: "insert a record of the new key and delete the old one")
      }
      try new.update(changed)
    }
    try finish()
  }

  /// Deletes a record at the end of the running ``forEach(_:as:_:)``, or of the step.
  ///
  /// Until then it can be read. Many keys are put aside in a temporary file.
  ///
  /// - Throws: ``StoreError/Code/invalidMigration`` for a model that the operation does not name,
  ///   ``StoreError/Code/diskFull``.
  public func delete(_ model: String, key: RecordKey) throws(StoreError) {
    try checkMayChange(model)
    try deletions.append(model, key)
  }

  /// Does the deletions that were asked for.
  func finish() throws(StoreError) {
    try deletions.forEach { model, key throws(StoreError) in try new.delete(model, key: key) }
    deletions.removeAll()
  }

  private func checkMayChange(_ model: String) throws(StoreError) {
    guard !changes.contains(model) else { return }
    throw StoreError(
      .invalidMigration, "the code step may not change \"\(model.prefix(80))\"",
      expected: changes.sorted().joined(separator: ", "),
      suggestion: "name the model in the operation's changes")
  }
}
