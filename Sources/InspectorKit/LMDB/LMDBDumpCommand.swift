import Kura
import KuraCore
import KuraLMDB

/// `dump` of LMDB files: entries of databases.
enum LMDBDumpCommand {
  static func run(_ file: ForeignEngine, _ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    // Damage inside is met later, and costs only what it must; what is cut off has no records at all.
    let snapshot = try file.lastingSnapshot(.salvage)
    let selection = try EntrySelection(
      arguments, words: arguments.positional.dropFirst(), snapshot.foreignDatabases(),
      path: context.path)
    let writer = try writer(selection, snapshot, context)
    var outcome = Outcome(isText: writer is MDBTextWriter)
    do {
      for database in selection.databases {
        try dump(database, selection, file, snapshot, writer, &outcome, context)
      }
    } catch {
      // What was read before the fault is the caller's.
      try writer.end()
      throw error
    }
    try writer.end()
    return try outcome.code(snapshot, context)
  }

  /// What happened on the way.
  struct Outcome {
    let isText: Bool
    var skipped = 0
    var damaged = 0
    private var failures: [(count: Int64, codec: String)] = []

    init(isText: Bool) { self.isText = isText }

    /// Takes what the codecs of a database could not read.
    mutating func add(_ part: EntrySelection.Part) {
      for codec in [part.keys, part.values] where codec.failureCount > 0 {
        failures.append((codec.failureCount, codec.name))
      }
    }

    /// The exit code, with notes that say why.
    ///
    /// - Throws: ``StoreError/Code/damaged`` when something could not be read.
    func code(_ snapshot: PageSnapshot, _ context: CommandContext) throws(StoreError) -> ExitCode {
      for failure in failures {
        context.note(
          "\(failure.count) values are not \(failure.codec); they are written as bytes")
      }
      for message in snapshot.losses.messages.prefix(10) { context.note(message) }
      guard snapshot.losses.isEmpty, damaged == 0 else {
        throw StoreError(
          .damaged, "the file is damaged; the dump has what could be read", path: context.path,
          suggestion: "check the file with store-inspect check")
      }
      return skipped > 0 || !failures.isEmpty ? .partial : .done
    }
  }

  /// The most entries; a terminal's table has a limit of its own.
  struct Limit {
    let most: Int
    let isOwn: Bool

    func note(_ context: CommandContext) {
      context.note("only the first \(most) records are shown; use --limit for more")
    }
  }

  static func limit(_ context: CommandContext) throws(StoreError) -> Limit {
    if let most = try context.limit() { return Limit(most: most, isOwn: false) }
    let isPeopleTable =
      context.terminal.isOutputTerminal && context.arguments.value("format") == "table"
    return Limit(most: isPeopleTable ? 500 : .max, isOwn: isPeopleTable)
  }

  /// The writer of the format that is asked for; without one NDJSON, or what a query's usual is.
  static func writer(
    _ selection: EntrySelection, _ snapshot: PageSnapshot, _ context: CommandContext,
    default usual: OutputFormat? = .ndjson
  ) throws(StoreError) -> any EntryWriter {
    let arguments = context.arguments
    let isSchemaOnly = arguments.has("schema-only")
    if arguments.value("format") == "mdb" {
      return MDBTextWriter(context.bytes, snapshot.meta, withData: !isSchemaOnly)
    }
    let format = try context.format(default: usual)
    let isOne = selection.databases.count == 1
    let isJSON = format == .ndjson || format == .json
    let columns = try EntryColumn.list(
      arguments.value("columns"), isOneDatabase: isOne && !isJSON)
    switch format {
    case .ndjson, .json:
      let isWhole =
        !selection.isNamed && !selection.isPartial && !arguments.has("columns")
        && !arguments.has("data-only")
      return EntryJSONWriter(
        context.bytes, context.valueOptions, isArray: format == .json,
        writesDatabases: isWhole || isSchemaOnly, columns: columns)
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none:
      guard !isSchemaOnly else {
        throw UsageError.make("--schema-only goes with ndjson, json and mdb")
      }
      return EntryRowWriter(
        context.bytes, columns.filter { $0 != .db || format != .sql }, format, showsNames: !isOne
      ) { name in
        RecordWriters.make(
          format, context.bytes, options: context.valueOptions, terminal: context.terminal,
          model: name)
      }
    }
  }

  private static func dump(
    _ database: ForeignDatabase, _ selection: EntrySelection, _ file: ForeignEngine,
    _ snapshot: PageSnapshot, _ writer: any EntryWriter, _ outcome: inout Outcome,
    _ context: CommandContext
  ) throws(StoreError) {
    guard let tree = database.tree else {
      context.note("\"\(database.name)\" is left out: \(database.problem ?? "")")
      outcome.damaged += 1
      return
    }
    guard !outcome.isText || MDBTextWriter.canWrite(database.rawName) else {
      context.note("\"\(database.name)\" is left out: mdb has no way to write its name")
      outcome.skipped += 1
      return
    }
    let part = try selection.part(database, snapshot)
    try writer.begin(part)
    if !context.arguments.has("schema-only") {
      let walk = EntryWalk(snapshot, tree, part.range)
      let limit = try limit(context)
      let filter = try EntryFilter(part, file, snapshot, context)
      let meter = context.progress(database.name, unit: "records") { database.entries }
      defer { meter.finish() }
      var count = 0
      while try walk.next() {
        if let filter, !filter.matches(walk) { continue }
        guard count < limit.most else {
          if limit.isOwn { limit.note(context) }
          break
        }
        try writer.write(walk.key, walk.value)
        count += 1
        if count & 0x3FF == 0 {
          meter.update(Int64(count))
          try context.checkLimits()
        }
      }
    }
    outcome.add(part)
    try writer.endDatabase()
  }
}

/// The condition of `--where` on entries.
struct EntryFilter {
  private let matcher: ConditionMatcher
  private let source: ForeignRecordSource
  private let row = RowBuffer(columns: 4)

  /// The filter that the command line has, if it has one.
  ///
  /// - Throws: What the condition's text and names throw.
  init?(
    _ part: EntrySelection.Part, _ file: ForeignEngine, _ snapshot: PageSnapshot,
    _ context: CommandContext
  ) throws(StoreError) {
    guard let text = context.arguments.value("where") else { return nil }
    source = try file.transaction(snapshot).source(
      part.database.name, key: context.arguments.has("key-as") ? part.keys : nil,
      value: context.arguments.has("value-as") ? part.values : nil)
    matcher = ConditionMatcher(try Condition(parsing: text).bound(to: source.layout))
  }

  /// Whether the current entry fulfils the condition.
  func matches(_ walk: EntryWalk) -> Bool { matches(walk.key, walk.value) }

  /// Whether an entry fulfils the condition.
  func matches(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    source.fill(row, key: key, value: value)
    return matcher.matches(row)
  }
}
