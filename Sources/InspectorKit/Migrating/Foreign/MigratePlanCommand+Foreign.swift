import KuraCore

extension MigratePlanCommand {
  /// Writes the plan of an SQLite file of another program.
  static func write(
    _ plan: ForeignPlan, _ outlook: MigrationOutlook, asJSON: Bool, _ context: CommandContext
  ) throws(StoreError) {
    if asJSON {
      try json(plan, outlook, context.bytes)
    } else {
      try MigrateCommand.line("version \(plan.from) to \(plan.to)", context)
      for migration in plan.migrations {
        try MigrateCommand.line(
          "\(migration.id): version \(migration.from) to \(migration.to) "
            + "(\(outlook.fileName(of: migration) ?? ""))", context)
        for statement in ForeignPlan.statements(migration) {
          for line in statement.split(whereSeparator: \.isNewline) {
            try MigrateCommand.line("  sql: \(line)", context)
          }
        }
      }
      try allowance(outlook, context)
    }
    try context.bytes.flush()
  }

  private static func json(
    _ plan: ForeignPlan, _ outlook: MigrationOutlook, _ bytes: ByteWriter
  ) throws(StoreError) {
    var object = JSONObject(bytes)
    try object.text("state", outlook.state.rawValue)
    try object.integer("from", Int64(plan.from))
    try object.integer("to", Int64(plan.to))
    try object.member("sql") { bytes throws(StoreError) in
      var all = JSONObject(bytes)
      for migration in plan.migrations {
        try all.member(migration.id) { bytes throws(StoreError) in
          try list(ForeignPlan.statements(migration), bytes)
        }
      }
      try all.end()
    }
    try object.member("lossesNotAllowed") { bytes throws(StoreError) in
      try list(outlook.refusedLosses.flatMap(\.losses), bytes)
    }
    try object.end()
    try bytes.append(UInt8(ascii: "\n"))
  }
}
