/// Finds the way from a store's schema to the expected one.
struct MigrationPlanner {
  let migrations: Migrations
  let wanted: Schema
  let capabilities: Capabilities

  /// The plan for a store.
  ///
  /// - Throws: ``StoreError/Code/migrationRequired`` with the difference that nothing explains and
  ///   the operations that would, ``StoreError/Code/needsAppCode``,
  ///   ``StoreError/Code/unsupportedQuery`` for SQL on a backend without, and what
  ///   ``Migration/applied(to:)`` throws.
  func plan(from stored: Schema) throws(StoreError) -> MigrationPlan {
    var current = stored
    var chosen: [Migration] = []
    var steps: [MigrationPlan.Step] = []
    for migration in try migrations.pending(from: stored.version)
    where migration.to <= wanted.version {
      try check(migration)
      // Versions between that only added something have no migration of their own.
      let isGap = migration.from > current.version
      if isGap { current = try Schema(version: migration.from, current.models) }
      do {
        steps += try self.steps(migration, from: current)
        current = try migration.applied(to: current)
      } catch {
        var named = error
        if isGap, named.suggestion == nil {
          named.suggestion =
            "add a migration from version \(stored.version) to \(migration.from)"
        }
        throw named
      }
      chosen.append(migration)
    }
    let inference = try SchemaInference(from: current, to: wanted)
    guard inference.rest.isEmpty else { throw unexplained(inference.rest, stored, current) }
    var inferred: String?
    if !inference.operations.isEmpty || current.version != wanted.version {
      let migration = Migration(
        "inferred-\(current.version)-\(wanted.version)", from: current.version,
        to: wanted.version, operations: inference.operations)
      inferred = migration.id
      steps += try self.steps(migration, from: current)
      chosen.append(migration)
    }
    return MigrationPlan(
      from: stored.version, to: wanted.version, fromFingerprint: stored.fingerprint,
      toFingerprint: wanted.fingerprint, migrations: chosen, inferred: inferred, steps: steps,
      difference: SchemaDiff(from: stored, to: wanted))
  }

  private func steps(_ migration: Migration, from schema: Schema) throws(StoreError)
    -> [MigrationPlan.Step]
  {
    var steps: [MigrationPlan.Step] = []
    var current = schema
    for (index, operation) in migration.operations.enumerated() {
      steps.append(
        MigrationPlan.Step(
          migration: migration.id, operation: operation, model: operation.model,
          work: operation.work(capabilities, in: current), loss: operation.loss(in: current)))
      do {
        current = try operation.applied(to: current)
      } catch {
        throw migration.located(error, operation: index)
      }
    }
    return steps
  }

  private func check(_ migration: Migration) throws(StoreError) {
    if let missing = migration.codeSteps.first(where: { migrations.codeSteps[$0] == nil }) {
      throw StoreError(
        .needsAppCode, "migration \"\(migration.id)\" needs the code step \"\(missing)\"",
        suggestion: "migrate with the app that has it, or give it to Migrations")
    }
    guard capabilities.isSuperset(of: migration.requiredCapabilities) else {
      throw StoreError(
        .unsupportedQuery, "migration \"\(migration.id)\" has SQL, and this backend has none",
        suggestion: "use operations that every backend has")
    }
  }

  private func unexplained(_ rest: SchemaDiff, _ stored: Schema, _ reached: Schema) -> StoreError {
    let proposal = rest.operations.map(\.description)
    var error = StoreError(
      .migrationRequired,
      reached.version == stored.version
        ? "the store's schema differs from the app's in what is never inferred"
        : "after the migrations the store's schema still differs from the app's",
      found: "version \(stored.version)", expected: "version \(wanted.version)",
      suggestion: proposal.isEmpty
        ? nil
        : "if this is meant, say it in a migration: \(proposal.joined(separator: "; "))")
    error.schemaDifference = rest
    return error
  }
}
