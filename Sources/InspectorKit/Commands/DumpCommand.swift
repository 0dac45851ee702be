import Kura
import KuraCore

/// `dump`: content, as SQL that rebuilds the file or as records.
enum DumpCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    // Only SQLite has SQL that makes the file again.
    let format = try context.format(default: context.open().format == .sqlite ? .sql : .ndjson)
    let transaction = try context.read()
    defer { transaction.end() }
    let names = context.arguments.positional.dropFirst()
    let lookup =
      names.isEmpty
      ? ModelLookup(schema: try transaction.storedSchema(), path: context.path)
      : try ModelLookup(transaction, Set(names), path: context.path)
    var models: [StoredModel] = []
    for name in names { models.append(try lookup.model(name)) }
    let arguments = context.arguments
    if format == .sql, !arguments.has("columns"), !arguments.has("limit"),
      !arguments.has("where") || !models.isEmpty
    {
      return try SQLDumpCommand.run(models, lookup.schema, transaction, context)
    }
    guard !arguments.has("schema-only") else {
      throw UsageError.make("--schema-only goes with SQL", hint: "use schema for other forms")
    }
    if names.isEmpty { models = lookup.visible.filter { $0.kind != .view } }
    return try records(models, format, lookup, transaction, context)
  }

  private static func records(
    _ models: [StoredModel], _ format: OutputFormat, _ lookup: ModelLookup,
    _ transaction: any EngineReadTransaction, _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    if models.count > 1, context.arguments.positional.count == 1 {
      switch format {
      case .ndjson, .json, .sql, .count, .none, .table, .list, .line, .markdown, .html: break
      case .csv, .tsv:
        throw UsageError.make(
          "\(format.rawValue) holds one table, the file has \(models.count)",
          hint: "name one of " + models.prefix(8).map(\.name).joined(separator: ", "))
      }
    }
    let tagged = models.count > 1 && (format == .ndjson || format == .json)
    var code = ExitCode.done
    if tagged, format == .json { try context.bytes.append("{") }
    for (position, model) in models.enumerated() {
      if let problem = model.problem {
        context.note("\"\(model.name)\" is left out: \(problem)")
        if model.isDamaged { code = .damaged } else if code == .done { code = .partial }
        continue
      }
      let layout = lookup.layout(model)
      var query = Query(model.name)
      if let condition = context.arguments.value("where") {
        query.condition = try Condition(parsing: condition)
      }
      var bound = try query.bound(to: layout, in: lookup.catalogue).selecting(
        context.arguments.value("columns"))
      if context.arguments.value("order") == "none" { bound.order = [] }
      let cursor = try transaction.cursor(for: bound)
      if tagged {
        try TaggedRecords.write(cursor, model.name, format, isFirst: position == 0, context)
      } else {
        if models.count > 1 { try heading(model.name, format, isFirst: position == 0, context) }
        let isWhole = !context.arguments.has("where")
        _ = try context.write(cursor, format, model: model.name) {
          isWhole ? RecordEstimate.count([model], transaction) : nil
        }
      }
    }
    if tagged, format == .json { try context.bytes.append("}\n") }
    try context.bytes.flush()
    return code
  }

  private static func heading(
    _ name: String, _ format: OutputFormat, isFirst: Bool, _ context: CommandContext
  ) throws(StoreError) {
    switch format {
    case .table, .list, .line, .csv, .tsv:
      try context.bytes.append("\(isFirst ? "" : "\n")\(TerminalText.escaped(name)):\n")
    case .markdown: try context.bytes.append("\(isFirst ? "" : "\n")## \(name)\n\n")
    case .html: try HTMLWriter.heading(name, to: context.bytes)
    case .count: try context.bytes.append("\(TerminalText.escaped(name)) ")
    case .json, .ndjson, .sql, .none: break
    }
  }
}

/// Records of several tables in one stream, each with its table's name.
enum TaggedRecords {
  static func write(
    _ cursor: any RecordCursor, _ model: String, _ format: OutputFormat, isFirst: Bool,
    _ context: CommandContext
  ) throws(StoreError) {
    defer { cursor.close() }
    let bytes = context.bytes
    let row = RowBuffer(columns: cursor.columnNames.count)
    let most = try context.limit() ?? .max
    let meter = context.progress(model, unit: "records")
    defer { meter.finish() }
    if format == .json {
      try bytes.append(isFirst ? "\n" : ",\n")
      try bytes.appendJSON(model)
      try bytes.append(UInt8(ascii: ":"))
      let writer = JSONWriter(bytes, context.valueOptions, isArray: true)
      try writer.begin(cursor.columnNames)
      var count = 0
      while count < most, try cursor.next(into: row) {
        try writer.write(row)
        count += 1
        if count & 0x3FF == 0 { meter.update(Int64(count)) }
      }
      return try writer.end()
    }
    let head = try FixedBytes { writer throws(StoreError) in
      try writer.append("{\"model\":")
      try writer.appendJSON(model)
      try writer.append(",\"record\":")
    }
    let writer = JSONWriter(bytes, context.valueOptions, isArray: false, lineEnd: "}\n")
    try writer.begin(cursor.columnNames)
    var count = 0
    do {
      while count < most, try cursor.next(into: row) {
        try bytes.append(head.bytes)
        try writer.write(row)
        count += 1
        if count & 0x3FF == 0 { meter.update(Int64(count)) }
      }
    } catch {
      try bytes.flush()
      throw error
    }
  }
}
