import Kura
import KuraCore

/// The SQL of a plan, a list for each migration.
struct MigrationSQL {
  /// The statements of each migration, by its identity.
  private(set) var statements: [String: [String]] = [:]

  /// Runs a plan on an empty copy of a store's schema and listens.
  ///
  /// - Returns: `nil` for stores without SQL.
  init?(
    _ engine: any StorageEngine, _ plan: MigrationPlan, _ target: Schema, _ limits: ExecutionLimits
  )
    throws(StoreError)
  {
    guard let sketch = try MigrationSketch(engine, limits: limits) else { return nil }
    let listener = Listener(sketch)
    _ = sketch.takeStatements()
    let configuration = StoreConfiguration(
      at: .memory, schema: target,
      migrations: try Migrations(
        plan.migrations.filter { $0.id != plan.inferred }.map(MigrationSQL.withoutRecords)),
      backup: .none, backends: [SQLiteBackend()])
    _ = try Store.migrate(
      sketch.engine, configuration,
      progress: { progress throws(StoreError) in listener.note(progress.migration) }, limits: limits
    )
    listener.note(nil)
    statements = listener.statements
  }

  /// What can be done without records: expectations would fail, and records are no schema.
  private static func withoutRecords(_ migration: Migration) -> Migration {
    var copy = migration
    copy.operations = migration.operations.compactMap { operation in
      switch operation {
      case .assert, .insert: nil
      case .delete(let model, let condition, _, _): .delete(model: model, where: condition)
      default: operation
      }
    }
    return copy
  }

  /// Sorts statements by the migration that is running.
  private final class Listener: @unchecked Sendable {
    // The migration calls its handler on the thread that asked for it, which waits meanwhile.
    private let sketch: MigrationSketch
    private var migration: String?
    var statements: [String: [String]] = [:]

    init(_ sketch: MigrationSketch) { self.sketch = sketch }

    func note(_ next: String?) {
      let taken = sketch.takeStatements()
      if let migration, !taken.isEmpty { statements[migration, default: []] += taken }
      if let next { migration = next }
    }
  }
}
