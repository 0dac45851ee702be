import Kura
import KuraCore

/// `query`: records that a query selects.
enum QueryCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let text = context.arguments.positional[1]
    let parameters = try QueryParameters.read(context.arguments.values("parameter"))
    if context.arguments.has("write") { return try change(text, parameters, context) }
    let transaction = try context.read()
    defer { transaction.end() }
    if try isSQL(text, transaction, context) {
      return try sql(text, parameters, transaction, context)
    }
    return try records(text, parameters, transaction, context)
  }

  /// SQL when it is said so, or when the text begins like SQL and with no model's name.
  private static func isSQL(
    _ text: String, _ transaction: any EngineReadTransaction, _ context: CommandContext
  ) throws(StoreError) -> Bool {
    if context.arguments.has("sql") { return true }
    let first = text.drop { $0.isWhitespace || $0 == "(" }.prefix { $0.isLetter }
    guard ["select", "with", "values", "explain", "pragma"].contains(first.lowercased()) else {
      return false
    }
    return try transaction.storedSchema(detailing: []).models.allSatisfy {
      $0.name != String(first)
    }
  }

  // MARK: SQL

  private static func sql(
    _ text: String, _ parameters: [String: StoredValue], _ transaction: any EngineReadTransaction,
    _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    guard let transaction = transaction as? any SQLReadTransaction else {
      throw StoreError(
        .unsupportedQuery, "this format has no SQL", path: context.path,
        suggestion: "use the query language")
    }
    guard !context.arguments.has("where") else {
      throw UsageError.make("--where goes with a model's name, not with SQL")
    }
    let prefix = context.arguments.has("explain") ? "EXPLAIN QUERY PLAN " : ""
    let cursor = try transaction.cursor(sql: prefix + text, parameters: parameters)
    return try write(cursor, context, model: "query")
  }

  private static func change(
    _ text: String, _ parameters: [String: StoredValue], _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    let transaction = try context.open().beginWrite(timeout: nil)
    guard let transaction = transaction as? any SQLWriteTransaction else {
      throw StoreError(.unsupportedQuery, "this format has no SQL", path: context.path)
    }
    do throws(StoreError) {
      guard try isSQL(text, transaction, context) || context.arguments.has("sql") else {
        throw UsageError.make("--write needs SQL", hint: "add --sql")
      }
      let cursor = try transaction.cursor(sql: text, parameters: parameters)
      if cursor.columnNames.isEmpty {
        cursor.close()
        let count = try transaction.execute(sql: text, parameters: parameters)
        try transaction.commit()
        context.note("\(count) rows changed")
        return .done
      }
      let code = try write(cursor, context, model: "query")
      try transaction.commit()
      return code
    } catch {
      transaction.end()
      throw error
    }
  }

  // MARK: The query language

  private static func records(
    _ text: String, _ parameters: [String: StoredValue], _ transaction: any EngineReadTransaction,
    _ context: CommandContext
  ) throws(StoreError) -> ExitCode {
    let names = try ModelLookup(transaction, [], path: context.path)
    var query = try parse(text, parameters, names)
    let lookup = try ModelLookup(transaction, [query.model], path: context.path)
    if let condition = context.arguments.value("where") {
      query.condition = .all([
        query.condition,
        try Condition(parsing: condition, arguments: QueryArguments(named: parameters)),
      ])
    }
    let model = try lookup.readableModel(query.model)
    query.model = model.name
    let rows = try query.boundRows(to: lookup.layout(model), in: lookup.catalogue)
    if context.arguments.has("explain") {
      for line in try rows.explain(transaction) { try context.bytes.append(line + "\n") }
      try context.bytes.flush()
      return .done
    }
    if context.arguments.has("count"), rows.isOfRecords {
      let values = try transaction.aggregate(AggregateRequest(rows.records, [.count]))
      if case .integer(let count)? = values.first {
        try context.bytes.append(count)
        try context.bytes.append(UInt8(ascii: "\n"))
      }
      try context.bytes.flush()
      return .done
    }
    return try write(rows.cursor(transaction), context, model: model.name)
  }

  /// A bare name is a query for all its records, whatever characters it has.
  private static func parse(
    _ text: String, _ parameters: [String: StoredValue], _ lookup: ModelLookup
  ) throws(StoreError) -> Query {
    if lookup.schema.models.contains(where: { $0.name == text }) { return Query(text) }
    return try Query(parsing: text, arguments: QueryArguments(named: parameters))
  }

  private static func write(_ cursor: any RecordCursor, _ context: CommandContext, model: String)
    throws(StoreError) -> ExitCode
  {
    if context.arguments.has("exists") {
      defer { cursor.close() }
      return try cursor.next(into: RowBuffer(columns: cursor.columnNames.count)) ? .done : .negative
    }
    let format = context.arguments.has("count") ? OutputFormat.count : try context.format()
    _ = try context.write(cursor, format, model: model)
    return .done
  }
}

/// Reads `-p name=value` and `-p name:=literal`.
enum QueryParameters {
  static func read(_ words: [String]) throws(StoreError) -> [String: StoredValue] {
    var values: [String: StoredValue] = [:]
    for word in words {
      guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
        throw UsageError.make("-p needs NAME=VALUE", hint: "or NAME:=LITERAL for other types")
      }
      let text = String(word[word.index(after: equals)...])
      var name = word[..<equals]
      guard name.last == ":" else {
        values[String(name)] = .text(text)
        continue
      }
      name.removeLast()
      guard let value = StoredValue(queryLiteral: text) else {
        throw UsageError.make(
          "the value of \(name) is no literal", hint: "a number, 'text', null, true or X'00ff'")
      }
      values[String(name)] = value
    }
    return values
  }
}
