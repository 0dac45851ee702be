#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension MigrationRunner {
  /// Carries out migrations, proves them and writes the history; the commit is the caller's.
  func execute(
    _ migrations: [Migration], of plan: MigrationPlan, _ schema: Schema,
    _ transaction: any EngineWriteTransaction, _ now: String
  ) throws(StoreError) -> [MigrationRecord] {
    let broken = try transaction.brokenObjects()
    let code = MigrationCodeRunner(engine, configuration)
    defer { code.end() }
    if migrations.contains(where: { !$0.codeSteps.isEmpty }) { try code.begin(schema) }
    let total = try total(migrations, schema, transaction)
    try monitor.begin(.running, total: total)
    var records: [MigrationRecord] = []
    var current = schema
    for migration in migrations {
      let began = ContinuousClock.now
      let executor = OperationExecutor(
        transaction, engine.capabilities, monitor, migration, code: code, path: path)
      let before = current
      current = try Schema(version: migration.from, current.models)
      let orphans = try knownOrphans(migration, before, executor)
      for (index, operation) in migration.operations.enumerated() {
        let next = try operation.applied(to: current)
        try executor.execute(operation, at: index, from: current, to: next)
        current = next
      }
      current = try Schema(version: migration.to, current.models)
      try executor.checkReferences(current, before: orphans)
      try transaction.setSchema(current)
      let elapsed = ContinuousClock.now - began
      records.append(
        MigrationRecord(
          id: migration.id, kind: migration.id == plan.inferred ? .inferred : .apply,
          checksum: migration.checksum, from: before.version, to: migration.to,
          fromFingerprint: before.fingerprint, toFingerprint: current.fingerprint,
          started: now,
          milliseconds: elapsed.components.seconds * 1000
            + elapsed.components.attoseconds / 1_000_000_000_000_000,
          work: executor.work, backup: backup, tool: MigrationRunner.tool, process: getpid(),
          operations: migration.operations))
    }
    try monitor.begin(.verifying, total: nil)
    let stored = try transaction.storedSchema()
    try SchemaShape.check(stored, current, path, isAfter: true)
    try checkObjects(transaction, broken)
    for record in records { try transaction.appendHistory(record.entry) }
    return records
  }

  /// The library's name in histories.
  static let tool = "Kura"

  /// The references of rewritten models that lead to no record already.
  private func knownOrphans(
    _ migration: Migration, _ schema: Schema, _ executor: OperationExecutor
  ) throws(StoreError) -> [String: Int] {
    // Other programs may have written the file without looking; backends whose files nobody else
    // writes have none.
    guard engine.capabilities.contains(.rawSQL) else { return [:] }
    var affected: Set<String> = []
    var current = schema
    for operation in migration.operations {
      guard let next = try? operation.applied(to: current) else { break }
      let work = operation.work(engine.capabilities, in: current)
      if work == .rewrite || work == .data || operation.kind == .delete {
        if let model = operation.model { affected.insert(model) }
        if case .code(_, let changes) = operation { affected.formUnion(changes) }
      }
      current = next
    }
    var known: [String: Int] = [:]
    for model in schema.models {
      for property in model.properties {
        guard let target = property.reference?.target,
          affected.contains(model.name) || affected.contains(target)
        else { continue }
        let count = try executor.walkOrphans(of: property.name, in: model.name, schema)
        if count > 0 { known["\(model.name).\(property.name)"] = count }
      }
    }
    return known
  }

  /// The records that will be counted, as far as they can be known before.
  private func total(
    _ migrations: [Migration], _ schema: Schema, _ transaction: any EngineWriteTransaction
  ) throws(StoreError) -> Int64? {
    var total: Int64 = 0
    var current = schema
    var names = Dictionary(
      schema.models.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for migration in migrations {
      current = try Schema(version: migration.from, current.models)
      for operation in migration.operations {
        let work = operation.work(engine.capabilities, in: current)
        if work == .rewrite, let name = operation.model, let model = names[name] {
          // Once to write them, once to prove them.
          total += try MigrationRunner.count(model, transaction) * 2
        }
        if case .renameModel(let old, let new) = operation { names[new] = names[old] }
        if case .code = operation { return nil }
        current = try operation.applied(to: current)
      }
    }
    return total
  }

  private func checkObjects(
    _ transaction: any EngineWriteTransaction, _ before: [String: String]
  ) throws(StoreError) {
    let after = try transaction.brokenObjects()
    for (name, reason) in after.sorted(by: { $0.key < $1.key }) where before[name] == nil {
      throw StoreError(
        .dependentObject, "the \(name) would no longer work: \(reason)", path: path,
        suggestion: "remove it before the change and make it again after it")
    }
  }
}
