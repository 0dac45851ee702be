import KuraCore

/// The migrations of a folder that an SQLite file of another program lacks.
struct ForeignPlan {
  let from: Int
  let to: Int
  let migrations: [Migration]

  /// Makes a plan.
  ///
  /// - Throws: ``StoreError/Code/historyMismatch``, ``StoreError/Code/drifted``,
  ///   ``StoreError/Code/newer``, ``StoreError/Code/unsupportedQuery`` for operations that need a
  ///   store of Kura's, and a mistake for a version that no migration leads to.
  init(_ survey: ForeignSurvey, _ folder: MigrationFolder, to target: Int?, _ path: String)
    throws(StoreError)
  {
    guard let version = survey.version else { throw ForeignPlan.withoutBaseline(nil, path) }
    from = version
    try survey.history.check(folder.migrations)
    guard !survey.hasDrifted else {
      throw StoreError(
        .drifted, "the file's tables were changed since its last migration", path: path,
        expected: "what the file declared at version \(version)",
        suggestion: "if that is right, say so with migrate baseline --to \(version)")
    }
    let last = folder.migrations.all.last?.to ?? version
    guard last >= version else {
      throw StoreError(
        .newer, "the file is newer than the migrations", path: path, found: "version \(version)",
        expected: "version \(last)", suggestion: "take the folder that the file was migrated with")
    }
    to = target ?? last
    let pending = try folder.migrations.pending(from: version)
    let steps = [version] + pending.map(\.to)
    guard steps.contains(to) else {
      throw UsageError.make(
        "no migration in \(folder.path) leads to version \(to)",
        hint: "one of \(steps.map(String.init).joined(separator: ", "))")
    }
    if let first = pending.first, first.from > version {
      throw StoreError(
        .invalidMigration, "no migration begins with the file's version", path: folder.path,
        found: "version \(version)", expected: "version \(first.from)",
        suggestion: "add the migration in between")
    }
    let to = to
    migrations = pending.filter { $0.to <= to }
    for migration in migrations { try ForeignPlan.checkIsSQL(migration) }
  }

  /// The error for a file that nobody took over.
  static func withoutBaseline(_ maker: String?, _ path: String) -> StoreError {
    StoreError(
      .foreign, "another program made this file, and it has no baseline of migrations here",
      path: path, found: maker,
      suggestion: "say which version it has: migrate baseline PATH --with FOLDER --to N --write")
  }

  private static func checkIsSQL(_ migration: Migration) throws(StoreError) {
    for (index, operation) in migration.operations.enumerated() {
      switch operation {
      case .sql, .createObject, .removeObject: continue
      default:
        throw StoreError(
          .unsupportedQuery,
          "migration \"\(migration.id)\", operation \(index + 1): \(operation.name) needs a store of "
            + "Kura's",
          suggestion: "files of other programs are migrated with sql, createObject and removeObject"
        )
      }
    }
  }

  /// The statements of a migration.
  static func statements(_ migration: Migration) -> [String] {
    migration.operations.flatMap { operation -> [String] in
      switch operation {
      case .sql(let sql, _): [sql]
      case .createObject(let object):
        [
          "DROP \(object.kind.sqlWords) IF EXISTS \(SQLLiterals.quoted(object.name))",
          object.sql,
        ]
      case .removeObject(let kind, let name): ["DROP \(kind.sqlWords) \(SQLLiterals.quoted(name))"]
      default: []
      }
    }
  }

  /// The migrations that may lose something and do not allow it.
  var refusedLosses: [(migration: Migration, losses: [String])] {
    migrations.filter { !$0.allowsLoss }.compactMap { migration in
      let losses = migration.operations.compactMap(\.sqlLoss)
      return losses.isEmpty ? nil : (migration, losses)
    }
  }
}

extension MigrationOperation {
  /// What an operation of SQL may lose; `nil` when it has none of the words that remove something.
  ///
  /// Words in comments and texts count as well: nobody is told too little.
  var sqlLoss: String? {
    let text: String
    switch self {
    case .sql(let sql, _): text = sql
    case .removeObject(_, let name): return "the definition of \(name)"
    default: return nil
    }
    let words = text.uppercased().split { !$0.isLetter }
    let losing = words.first { ["DELETE", "DROP", "REPLACE", "UPDATE"].contains($0) }
    return losing.map { "what \($0) in its SQL removes" }
  }
}
