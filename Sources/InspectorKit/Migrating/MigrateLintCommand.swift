import KuraCore

/// `migrate lint`: what is wrong or dangerous in a folder of migrations.
enum MigrateLintCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    try MigrateCommand.needFolder("lint", context)
    let base = try context.arguments.positional.first.map { path throws(StoreError) in
      try SchemaSource.schema(path, context)
    }
    let lint = try MigrationLint(context.arguments.value("with") ?? "", base: base)
    let asJSON = try MigrateCommand.isJSON(context)
    for finding in lint.findings {
      if asJSON {
        try json(finding, context.bytes)
      } else {
        let place = finding.operation.map { ", operation \($0)" } ?? ""
        try MigrateCommand.line(
          "\(finding.severity.rawValue): \(finding.file)\(place): \(finding.message) "
            + "[\(finding.rule)]", context)
      }
    }
    if lint.findings.isEmpty, !asJSON { try context.bytes.append("ok\n") }
    try context.bytes.flush()
    let isStrict = context.arguments.has("strict")
    let isBad = lint.findings.contains {
      $0.severity == .error || isStrict && $0.severity == .warning
    }
    return isBad ? .negative : .done
  }

  private static func json(_ finding: MigrationLint.Finding, _ bytes: ByteWriter)
    throws(StoreError)
  {
    var object = JSONObject(bytes)
    try object.text("severity", finding.severity.rawValue)
    try object.text("rule", finding.rule)
    try object.text("file", FileName.shown(finding.file))
    if let number = finding.operation { try object.integer("operation", Int64(number)) }
    try object.text("message", finding.message)
    try object.end()
    try bytes.append(UInt8(ascii: "\n"))
  }
}
