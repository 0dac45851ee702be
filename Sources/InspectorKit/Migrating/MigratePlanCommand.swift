import Kura
import KuraCore

/// `migrate plan`: what would be done, what it costs and what it loses.
enum MigratePlanCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("plan", context)
    let outlook = try MigrationOutlook(context, counting: true)
    return try write(outlook, context)
  }

  /// Writes a plan; a store that cannot be migrated is an error.
  static func write(_ outlook: MigrationOutlook, _ context: CommandContext) throws(StoreError)
    -> ExitCode
  {
    if let problem = outlook.problem { throw problem }
    let asJSON = try MigrateCommand.isJSON(context)
    if let plan = outlook.foreignPlan, !plan.migrations.isEmpty {
      try write(plan, outlook, asJSON: asJSON, context)
      return .done
    }
    guard let plan = outlook.plan, let target = outlook.target else {
      if asJSON {
        var object = JSONObject(context.bytes)
        try object.text("state", outlook.state.rawValue)
        try object.end()
        try context.bytes.append(UInt8(ascii: "\n"))
      } else {
        let version = outlook.survey?.schema.version ?? outlook.foreign?.version ?? 0
        try MigrateCommand.line("nothing to do: the file has version \(version)", context)
      }
      try context.bytes.flush()
      return .done
    }
    var sql: MigrationSQL?
    do throws(StoreError) {
      sql = try MigrationSQL(outlook.engine, plan, target, context.limits)
    } catch {
      try context.checkLimits()
      context.note("the SQL cannot be shown: \(error.message)")
    }
    let space = Space(plan, outlook, context)
    if asJSON {
      try json(outlook, plan, sql, space, context)
    } else {
      try text(outlook, plan, sql, space, context)
    }
    try context.bytes.flush()
    if let needed = space.needed, let available = space.available, needed > available {
      context.note("there is no room: \(needed - available) bytes more must be free")
    }
    return .done
  }

  /// What is needed beside the store.
  private struct Space {
    let needed: Int64?
    let available: Int64?

    init(_ plan: MigrationPlan, _ outlook: MigrationOutlook, _ context: CommandContext) {
      let path = DataFile.path(of: context.path)
      needed = plan.spaceNeeded(
        at: path, outlook.engine.format,
        withBackup: !context.arguments.has("no-backup")
          && (plan.rewritesRecords || !plan.losses.isEmpty || context.arguments.has("backup")))
      available = FileSystemSpace.available(beside: path)
    }
  }

  // MARK: For people

  private static func text(
    _ outlook: MigrationOutlook, _ plan: MigrationPlan, _ sql: MigrationSQL?, _ space: Space,
    _ context: CommandContext
  ) throws(StoreError) {
    try MigrateCommand.line("version \(plan.from) to \(plan.to)", context)
    for migration in plan.migrations {
      let place = outlook.fileName(of: migration) ?? "inferred from the snapshot"
      try MigrateCommand.line(
        "\(migration.id): version \(migration.from) to \(migration.to) (\(place))", context)
      let steps = plan.steps.filter { $0.migration == migration.id }
      for (number, step) in steps.enumerated() {
        try MigrateCommand.line("  \(number + 1). \(step.operation)\(cost(step))", context)
        if let loss = step.loss { try MigrateCommand.line("     loses \(loss)", context) }
      }
      for statement in sql?.statements[migration.id] ?? [] {
        // The lines of a statement are kept as they are in the schema.
        for line in "\(statement);".split(separator: "\n") {
          try MigrateCommand.line("  sql: \(line)", context)
        }
      }
    }
    try allowance(outlook, context)
    if let needed = space.needed {
      let available = space.available.map { ", \(InfoCommand.text(.byteCount($0))) free" } ?? ""
      try MigrateCommand.line(
        "space: \(InfoCommand.text(.byteCount(needed))) needed at most\(available)", context)
    }
  }

  /// The line that would allow what is lost.
  static func allowance(_ outlook: MigrationOutlook, _ context: CommandContext)
    throws(StoreError)
  {
    for (migration, _) in outlook.refusedLosses {
      try MigrateCommand.line(
        "to allow what \(migration.id) loses, write \"allowsLoss\": true, in "
          + "\(outlook.fileName(of: migration) ?? migration.id)", context)
    }
  }

  private static func cost(_ step: MigrationPlan.Step) -> String {
    let records = step.records.map { $0 == 1 ? "1 record" : "\($0) records" }
    switch step.work {
    case .description: return ""
    case .scan: return " [reads \(records ?? "records")]"
    case .rewrite: return " [writes \(records ?? "records") again]"
    case .data: return records.map { " [of \($0)]" } ?? ""
    }
  }

  // MARK: For programs

  private static func json(
    _ outlook: MigrationOutlook, _ plan: MigrationPlan, _ sql: MigrationSQL?, _ space: Space,
    _ context: CommandContext
  ) throws(StoreError) {
    var object = JSONObject(context.bytes)
    try object.text("state", outlook.state.rawValue)
    try object.member("plan") { bytes throws(StoreError) in try bytes.append(plan.json) }
    try object.member("files") { bytes throws(StoreError) in
      var files = JSONObject(bytes)
      for migration in plan.migrations {
        guard let name = outlook.fileName(of: migration) else { continue }
        try files.text(migration.id, FileName.shown(name))
      }
      try files.end()
    }
    if let sql {
      try object.member("sql") { bytes throws(StoreError) in
        var all = JSONObject(bytes)
        for migration in plan.migrations {
          try all.member(migration.id) { bytes throws(StoreError) in
            try MigratePlanCommand.list(sql.statements[migration.id] ?? [], bytes)
          }
        }
        try all.end()
      }
    }
    try object.member("lossesNotAllowed") { bytes throws(StoreError) in
      try MigratePlanCommand.list(outlook.refusedLosses.flatMap(\.losses), bytes)
    }
    if let needed = space.needed { try object.integer("bytesNeeded", needed) }
    if let available = space.available { try object.integer("bytesFree", available) }
    try object.end()
    try context.bytes.append(UInt8(ascii: "\n"))
  }

  static func list(_ texts: [String], _ bytes: ByteWriter) throws(StoreError) {
    try bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try bytes.appendJSON(text)
    }
    try bytes.append(UInt8(ascii: "]"))
  }
}
