import Kura
import KuraCore

/// What a file is for a folder of migrations: where it stands and what would be done to it.
struct MigrationOutlook {
  /// Where a file stands.
  enum State: String {
    /// It has the last version.
    case current
    /// There is a way to a later version.
    case pending
    /// It has an older version, and no migration explains how to get on.
    case unexplained
    /// It has a version that the folder does not know yet.
    case newer
    /// It was changed without its record of the schema, or differs from the snapshot of its version.
    case drifted
    /// Kura did not make it.
    case foreign
  }

  let engine: any StorageEngine
  let folder: MigrationFolder?
  /// What a Kura store says of itself.
  let survey: MigrationSurvey?
  /// What an SQLite file of another program says of migrations that were carried out here.
  private(set) var foreign: ForeignSurvey?
  /// What is to be done to such a file.
  private(set) var foreignPlan: ForeignPlan?
  private(set) var state = State.current
  /// The plan of a store that is to be migrated, with numbers of records.
  private(set) var plan: MigrationPlan?
  /// The schema that a store is to get.
  private(set) var target: Schema?
  /// Why a store cannot be migrated.
  private(set) var problem: StoreError?

  /// Looks at the command's file, which stays as it is.
  ///
  /// - Parameter counting: Whether the records are counted.
  init(_ context: CommandContext, counting: Bool) throws(StoreError) {
    let version = try context.arguments.value("to").map { text throws(StoreError) in
      try OptionValues.count(text, "--to")
    }
    folder = try context.arguments.value("with").map { path throws(StoreError) in
      try MigrationFolder(path)
    }
    engine = try context.open()
    survey = try MigrationSurvey(engine)
    guard let survey else {
      try lookAtForeign(version, context)
      return
    }
    if let drift = survey.drift {
      state = .drifted
      problem = StoreError(
        .drifted, "the file was changed without its record of the schema", path: context.path,
        found: drift, expected: "version \(survey.schema.version)",
        suggestion: "bring the tables back, or restore a backup")
      return
    }
    if let folder { try compare(survey, folder, version, context, counting) }
  }

  private mutating func compare(
    _ survey: MigrationSurvey, _ folder: MigrationFolder, _ version: Int?,
    _ context: CommandContext, _ counting: Bool
  ) throws(StoreError) {
    let stored = survey.schema
    if let last = folder.lastVersion, last < stored.version {
      state = .newer
      problem = StoreError(
        .newer, "the store is newer than the migrations", path: context.path,
        found: "version \(stored.version)", expected: "version \(last)",
        suggestion: "take the folder of the app that made the store")
      return
    }
    if let snapshot = folder.snapshots[stored.version], snapshot.fingerprint != stored.fingerprint {
      state = .drifted
      var error = StoreError(
        .drifted, "the store's schema differs from the snapshot of its version",
        path: context.path, found: "\(SchemaDiff(from: snapshot, to: stored))",
        expected: "schemas/\(stored.version).json",
        suggestion: "give the changed schema a new version")
      error.schemaDifference = SchemaDiff(from: stored, to: snapshot)
      problem = error
      return
    }
    do throws(StoreError) {
      try survey.history.check(folder.migrations)
      let target = try folder.target(from: stored, to: version)
      self.target = target
      guard target.version > stored.version else { return }
      let plan = try survey.plan(folder.migrations, to: target)
      state = .pending
      self.plan = counting ? try survey.counting(plan, engine) : plan
    } catch {
      // A version that does not exist is the caller's mistake, and nothing about the store.
      guard error.code != UsageError.code, error.code.kind != .cancelled else { throw error }
      state = .unexplained
      problem = MigrationOutlook.accepting(error).at(context.path)
    }
  }

  /// An error with what the command line has to offer.
  private static func accepting(_ error: StoreError) -> StoreError {
    guard error.code == .historyMismatch else { return error }
    var named = error
    named.suggestion =
      "bring the migration back as it was and write what changed as a new one, or accept it with "
      + "migrate baseline PATH --with FOLDER --accept NAME --write"
    return named
  }

  // MARK: Files of other programs

  private mutating func lookAtForeign(_ version: Int?, _ context: CommandContext)
    throws(StoreError)
  {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    foreign = try ForeignSurvey(transaction, context.path)
    guard let foreign, foreign.version != nil else {
      state = .foreign
      problem = MigrationOutlook.refusal(engine, context.path)
      return
    }
    guard let folder else { return }
    do throws(StoreError) {
      let plan = try ForeignPlan(foreign, folder, to: version, context.path)
      foreignPlan = plan
      state = plan.migrations.isEmpty ? .current : .pending
    } catch {
      guard error.code != UsageError.code else { throw error }
      state =
        error.code == .drifted ? .drifted : error.code == .newer ? .newer : .unexplained
      problem = error
    }
  }

  /// The error of a file that Kura did not make and that has no baseline.
  static func refusal(_ engine: any StorageEngine, _ path: String) -> StoreError {
    guard engine.format == .sqlite else {
      return StoreError(
        .foreign, "another program made this file, and only Kura's LMDB stores can be migrated",
        path: path, suggestion: "change it with the program that made it")
    }
    let makers = (try? engine.report().facts.first { $0.key == "madeBy" }).flatMap(\.self)
    return ForeignPlan.withoutBaseline(makers.map { InfoCommand.text($0.value) }, path)
  }

  /// The migrations of the plan that lose something and do not allow it.
  var refusedLosses: [(migration: Migration, losses: [String])] {
    if let foreignPlan { return foreignPlan.refusedLosses }
    guard let plan else { return [] }
    return plan.migrations.filter { !$0.allowsLoss }.compactMap { migration in
      let losses = plan.steps.filter { $0.migration == migration.id }.compactMap { step in
        if case .sql = step.operation { step.operation.sqlLoss } else { step.loss }
      }
      return losses.isEmpty ? nil : (migration, losses)
    }
  }

  /// The name of the file that a migration is written in.
  func fileName(of migration: Migration) -> String? {
    folder?.file(of: migration.id)?.path
  }
}
