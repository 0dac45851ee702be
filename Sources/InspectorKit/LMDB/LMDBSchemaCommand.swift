import Kura
import KuraCore
import KuraLMDB

/// `schema` of LMDB files: the databases with their flags.
enum LMDBSchemaCommand {
  static func run(_ file: ForeignEngine, _ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    let (databases, losses) = try file.reading(.salvage) { snapshot throws(StoreError) in
      let selection = try EntrySelection(
        arguments, words: arguments.positional.dropFirst(), snapshot.foreignDatabases(),
        path: context.path)
      return (selection.databases, snapshot.losses)
    }
    var form = arguments.value("as")
    if form == nil, let format = arguments.value("format") {
      form = format == "json" || format == "ndjson" ? "json" : nil
    }
    switch form {
    case "json": try json(databases, context.bytes)
    case nil, "list": try list(databases, context)
    case let other?:
      throw UsageError.make(
        "LMDB databases have no columns, so there is no \(other) of them", hint: "list or json")
    }
    try context.bytes.flush()
    guard losses.isEmpty else {
      for message in losses.messages.prefix(10) { context.note(message) }
      throw StoreError(
        .damaged, "the file is damaged; the list has what could be read", path: context.path,
        suggestion: "check the file with store-inspect check")
    }
    return .done
  }

  private static func list(_ databases: [ForeignDatabase], _ context: CommandContext)
    throws(StoreError)
  {
    for database in databases {
      var line = "\(database.name)  database"
      if let problem = database.problem {
        line += "  (damaged: \(problem))"
      } else if !database.flags.isEmpty {
        line += "  (\(database.flags.names.joined(separator: ", ")))"
      }
      try context.bytes.append(
        (context.terminal.isOutputTerminal ? TerminalText.escaped(line) : line) + "\n")
    }
  }

  private static func json(_ databases: [ForeignDatabase], _ bytes: ByteWriter) throws(StoreError) {
    try bytes.append("{\"version\":0,\"databases\":[")
    for (index, database) in databases.enumerated() {
      try bytes.append(index > 0 ? ",\n" : "\n")
      var object = JSONObject(bytes)
      try object.text("name", database.name)
      try object.text("kind", "database")
      try object.texts("flags", database.flags.names)
      try object.integer("entries", database.entries)
      if let problem = database.problem { try object.text("problem", problem) }
      try object.end()
    }
    try bytes.append("]}\n")
  }
}
