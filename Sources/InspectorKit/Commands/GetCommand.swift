import Kura
import KuraCore

/// `get`: one record by its key.
enum GetCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    guard context.arguments.positional.count > 1 else { throw UsageError.make("get needs KEY") }
    let transaction = try context.read()
    defer { transaction.end() }
    let names = try ModelLookup(transaction, [], path: context.path)
    let name = try model(names, context).name
    let lookup = try ModelLookup(transaction, [name], path: context.path)
    // What makes a model unreadable is known only from its details.
    let model = try lookup.readableModel(name)
    let layout = lookup.layout(model)
    let words = Array(context.arguments.positional.dropFirst())
    let columns =
      try BoundQuery(layout: layout).selecting(context.arguments.value("columns")).columns
      ?? Array(layout.columns.indices)
    guard !context.arguments.has("raw") || columns.count == 1 else {
      throw UsageError.make("--raw writes one column", hint: "name it with --columns")
    }
    let found = RowBuffer(columns: layout.columns.count)
    for values in try keys(words, model, layout) {
      guard let key = RecordKey(values), try transaction.record(key, in: layout, into: found)
      else { continue }
      if context.arguments.has("raw") {
        try raw(found[columns[0]], context)
      } else {
        try write(found, columns, layout, context)
      }
      try context.bytes.flush()
      return .done
    }
    if let (error, isCertain) = KeyWords.mismatch(words, model, layout) {
      if isCertain { throw error.at(context.path) }
      context.note("there is no record of that key: " + error.message)
    } else {
      context.note("there is no record of that key")
    }
    return .negative
  }

  private static func model(_ lookup: ModelLookup, _ context: CommandContext) throws(StoreError)
    -> StoredModel
  {
    if let name = context.arguments.value("model") { return try lookup.readableModel(name) }
    let tables = lookup.visible.filter { $0.kind == .table }
    guard tables.count == 1 else {
      throw UsageError.make(
        "the file has \(tables.count) tables; --model says which",
        hint: "add --model with one of " + tables.prefix(8).map(\.name).joined(separator: ", "))
    }
    return try lookup.readableModel(tables[0].name)
  }

  /// The keys that words may mean, the likeliest first.
  ///
  /// A column that promises a type decides; elsewhere digits may be a number or a text.
  private static func keys(_ words: [String], _ model: StoredModel, _ layout: ModelLayout)
    throws(StoreError) -> [[StoredValue]]
  {
    let count =
      layout.keyColumns.isEmpty ? (layout.rowIDName == nil ? 0 : 1) : layout.keyColumns.count
    guard count > 0 else {
      throw StoreError(
        .wrongKey, "\"\(model.name)\" has no key", suggestion: "use query with a condition")
    }
    guard words.count == count else {
      throw StoreError(
        .wrongKey, "the key of \"\(model.name)\" has another number of values",
        found: "\(words.count)", expected: "\(count): \(model.primaryKey.joined(separator: ", "))")
    }
    var keys: [[StoredValue]] = [[]]
    for (position, word) in words.enumerated() {
      let values: [StoredValue]
      if layout.keyColumns.isEmpty {
        guard let number = Int64(word) else {
          throw StoreError(
            .wrongKey, "\"\(model.name)\" is read by row number, which is an integer")
        }
        values = [.integer(number)]
      } else {
        let column = layout.columns[layout.keyColumns[position]]
        if layout.isKuraModel {
          values = [try KeyWords.value(word, column.type, column.name)]
        } else {
          let declared = model.columns.first { $0.name == column.name }?.declaredType ?? ""
          values = KeyWords.candidates(word, declared: declared)
        }
      }
      keys = keys.flatMap { key in values.map { key + [$0] } }
    }
    return keys
  }

  private static func write(
    _ found: RowBuffer, _ columns: [Int], _ layout: ModelLayout, _ context: CommandContext
  ) throws(StoreError) {
    let row = RowBuffer(columns: columns.count)
    for (position, column) in columns.enumerated() { row[position] = found[column] }
    let writer = RecordWriters.make(
      try context.format(default: context.terminal.isOutputTerminal ? .line : .ndjson),
      context.bytes, options: context.valueOptions, terminal: context.terminal,
      model: layout.name)
    try writer.begin(columns.map { layout.columns[$0].name })
    try writer.write(row)
    try writer.end()
  }

  /// Writes a value's bytes and nothing else.
  private static func raw(_ slot: ColumnSlot, _ context: CommandContext) throws(StoreError) {
    switch slot.kind {
    case .text, .malformedText, .data: try context.bytes.append(slot.bytes)
    case .null, .bool, .integer, .double, .decimal, .date, .uuid, .objectID:
      try context.bytes.append(PlainText.text(slot, context.valueOptions))
    }
  }
}
