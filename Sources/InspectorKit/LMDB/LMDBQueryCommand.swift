import Kura
import KuraCore
import KuraLMDB

/// `query` of LMDB files: entries as records with the columns `key` and `value`.
enum LMDBQueryCommand {
  static func run(_ file: ForeignEngine, _ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    guard !arguments.has("sql") else {
      throw StoreError(
        .unsupportedQuery, "LMDB files have no SQL", path: context.path,
        suggestion: "use the query language: DATABASE WHERE key BEGINSWITH 'a'")
    }
    let snapshot = try file.lastingSnapshot()
    let transaction = file.transaction(snapshot)
    defer { transaction.end() }
    let all = try transaction.databases()
    var query = try parse(context, all)
    let selection = try EntrySelection(
      ParsedArguments(positional: [], options: arguments.options.filter { $0.key != "db" }),
      words: [query.model], all, path: context.path)
    guard let database = selection.databases.first else { return .negative }
    query.model = database.name
    let part = try selection.part(database, snapshot)
    let source = try transaction.source(
      database.name, key: arguments.has("key-as") ? part.keys : nil,
      value: arguments.has("value-as") ? part.values : nil)
    var bound = try query.bound(to: source.layout)
    if arguments.has("explain") {
      for line in try source.explanation(of: bound) { try context.bytes.append(line + "\n") }
      try context.bytes.flush()
      return .done
    }
    if arguments.has("count") {
      let values = try source.prepared(for: bound)
        .aggregate(AggregateRequest(bound, [.count]))
      if case .integer(let count)? = values.first { try context.bytes.append("\(count)\n") }
      try context.bytes.flush()
      return .done
    }
    bound.columns = [ForeignRecordSource.Column.rawKey, ForeignRecordSource.Column.rawValue]
    return try write(
      source.prepared(for: bound).cursor(for: bound), part, selection, snapshot, context)
  }

  /// Reads the text: a database's name and what follows it, or with `--db` only what follows.
  private static func parse(_ context: CommandContext, _ all: [ForeignDatabase])
    throws(StoreError) -> Query
  {
    let arguments = context.arguments
    let values = QueryArguments(
      named: try QueryParameters.read(arguments.values("parameter")))
    var text = arguments.positional[1]
    var query: Query
    var name = arguments.value("db")
    if name == nil {
      // Names that are no names of the language, such as @main, are found as they are.
      name = all.map(\.name).filter { text == $0 || text.hasPrefix($0 + " ") }
        .max { $0.utf8.count < $1.utf8.count }
      if let name { text = String(text.dropFirst(name.count)) }
    }
    if let name {
      let rest = text.drop { $0 == " " }
      let first = rest.prefix { $0.isLetter }
      let condition = first.uppercased() == "WHERE" ? rest.dropFirst(5) : rest
      query = try Query(parsing: String(condition), arguments: values, model: name)
    } else {
      query = try Query(parsing: text, arguments: values)
    }
    if let condition = arguments.value("where") {
      query.condition = .all([
        query.condition, try Condition(parsing: condition, arguments: values),
      ])
    }
    return query
  }

  private static func write(
    _ cursor: any RecordCursor, _ part: EntrySelection.Part, _ selection: EntrySelection,
    _ snapshot: PageSnapshot, _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    defer { cursor.close() }
    let row = RowBuffer(columns: 2)
    if context.arguments.has("exists") { return try cursor.next(into: row) ? .done : .negative }
    let writer = try LMDBDumpCommand.writer(selection, snapshot, context, default: nil)
    let limit = try LMDBDumpCommand.limit(context)
    let meter = context.progress(part.database.name, unit: "records")
    defer { meter.finish() }
    var count = 0
    do {
      try writer.begin(part)
      while count < limit.most, try cursor.next(into: row) {
        try writer.write(row[0].bytes, row[1].bytes)
        count += 1
        if count & 0x3FF == 0 { meter.update(Int64(count)) }
      }
      if count == limit.most, limit.isOwn, try cursor.next(into: row) { limit.note(context) }
      try writer.endDatabase()
    } catch {
      try writer.end()
      throw error
    }
    try writer.end()
    var outcome = LMDBDumpCommand.Outcome(isText: false)
    outcome.add(part)
    return try outcome.code(snapshot, context)
  }
}
