import Kura
import KuraCore
import KuraLMDB

/// `get` from LMDB files: the values of one key, or the entries of a range.
enum LMDBGetCommand {
  static func run(_ file: ForeignEngine, _ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    let words = arguments.positional.dropFirst()
    let isRange = ["from", "to", "prefix", "after"].contains(where: arguments.has)
    guard isRange ? words.isEmpty : words.count == 1 else {
      throw UsageError.make(
        isRange ? "a range goes without a key" : "get needs one KEY",
        hint: "name the database with --db")
    }
    // Short reading begins again when a writer was faster, so nothing is written before it is done.
    let found = try file.reading { snapshot throws(StoreError) in
      try read(snapshot, words.first, isRange, context)
    }
    guard !found.entries.isEmpty else {
      context.note("there is no record of that key")
      return .negative
    }
    try write(found, context)
    guard found.part.keys.failureCount + found.part.values.failureCount == 0 else {
      context.note("some values are not of the form asked for; they are written as bytes")
      return .partial
    }
    return .done
  }

  private struct Found {
    let part: EntrySelection.Part
    let entries: [(key: [UInt8], value: [UInt8])]
    let meta: MetaPage
  }

  private static func read(
    _ snapshot: PageSnapshot, _ word: String?, _ isRange: Bool, _ context: CommandContext
  ) throws(StoreError) -> Found {
    let arguments = context.arguments
    let selection = try EntrySelection(
      arguments, words: [], snapshot.foreignDatabases(), path: context.path)
    guard selection.databases.count == 1, let database = selection.databases.first else {
      let names = selection.databases.prefix(8).map(\.name).joined(separator: ", ")
      throw UsageError.make(
        "the file has \(selection.databases.count) databases; --db says which",
        hint: "add --db with one of " + names)
    }
    guard let tree = database.tree else {
      throw StoreError(
        .damaged, "\"\(database.name)\" cannot be read: \(database.problem ?? "")",
        path: context.path, suggestion: "restore a backup; see store-inspect check")
    }
    var part = try selection.part(database, snapshot)
    if let word {
      let key = try EntrySelection.key(word, database, part.keys, snapshot)
      part = EntrySelection.Part(
        database: database, range: .key(key), keys: part.keys, values: part.values)
    }
    var entries: [(key: [UInt8], value: [UInt8])] = []
    let most = try context.limit() ?? .max
    let walk = EntryWalk(snapshot, tree, part.range)
    while entries.count < most, try walk.next() {
      let key = Array(walk.key)
      if word != nil, key != part.range.from { break }
      entries.append((key, Array(walk.value)))
      if entries.count & 0x3FF == 0 { try context.checkLimits() }
    }
    return Found(part: part, entries: entries, meta: snapshot.meta)
  }

  private static func write(_ found: Found, _ context: CommandContext) throws(StoreError) {
    let arguments = context.arguments
    if arguments.has("raw") {
      for entry in found.entries { try context.bytes.append(entry.value) }
      return try context.bytes.flush()
    }
    guard arguments.has("format") || arguments.has("columns") else {
      return try values(found, context)
    }
    let writer: any EntryWriter
    if arguments.value("format") == "mdb" {
      writer = MDBTextWriter(context.bytes, found.meta, withData: true)
    } else {
      let format = try context.format()
      let isJSON = format == .ndjson || format == .json
      let columns = try EntryColumn.list(arguments.value("columns"), isOneDatabase: !isJSON)
      writer =
        isJSON
        ? EntryJSONWriter(
          context.bytes, context.valueOptions, isArray: format == .json, writesDatabases: false,
          columns: columns)
        : EntryRowWriter(context.bytes, columns, format, showsNames: false) { name in
          RecordWriters.make(
            format, context.bytes, options: context.valueOptions, terminal: context.terminal,
            model: name)
        }
    }
    try writer.begin(found.part)
    for entry in found.entries {
      try entry.key.withBytes { key throws(StoreError) in
        try entry.value.withBytes { value throws(StoreError) in try writer.write(key, value) }
      }
    }
    try writer.endDatabase()
    try writer.end()
  }

  /// Without a format the values alone, one a line, with their keys when a range was asked for.
  private static func values(_ found: Found, _ context: CommandContext) throws(StoreError) {
    let showsKeys = context.arguments.positional.count == 1
    let row = RowBuffer(columns: 1)
    func append(_ bytes: [UInt8], _ codec: EntryCodec) throws(StoreError) {
      try bytes.withBytes { bytes throws(StoreError) in
        row.reset()
        codec.decode(bytes, into: row, column: 0)
        if context.terminal.isOutputTerminal {
          try context.bytes.append(
            TerminalText.escaped(PlainText.text(row[0], context.valueOptions)))
        } else {
          try PlainText.append(row[0], context.valueOptions, to: context.bytes)
        }
      }
    }
    for entry in found.entries {
      if showsKeys {
        try append(entry.key, found.part.keys)
        try context.bytes.append("\t")
      }
      try append(entry.value, found.part.values)
      try context.bytes.append("\n")
    }
    try context.bytes.flush()
  }
}
