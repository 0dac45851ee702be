import Kura
import KuraCore
import KuraLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a command works with: its words, the open file, and where output goes.
final class CommandContext {
  let arguments: ParsedArguments
  let terminal: Terminal
  let bytes: ByteWriter
  let limits: ExecutionLimits
  let valueOptions: ValueOptions
  private let output: Output
  /// Whether a person waits at a terminal that can remove a line.
  private let isWatched: Bool
  /// Whether a person at a terminal waits while results go somewhere else.
  private var showsProgress: Bool { isWatched && !terminal.isOutputTerminal }
  private var temporaryFile: String?
  private var said: Set<String> = []
  private var engine: (any StorageEngine)?

  init(
    _ arguments: ParsedArguments, _ output: Output, terminal: Terminal,
    environment: (String) -> String?
  ) throws(StoreError) {
    self.arguments = arguments
    self.output = output
    var terminal = terminal
    if let file = arguments.value("output"), file != "-" {
      try output.redirect(
        to: file, replacing: arguments.has("yes"),
        reading: arguments.positional.first ?? "")
      terminal.isOutputTerminal = false
      terminal.hasColour = arguments.value("color") == "always"
    } else if terminal.isOutputTerminal, output.isProcess, !arguments.has("no-pager"),
      let command = Pager.command(environment)
    {
      output.page(with: command)
    }
    self.terminal = terminal
    // A line that comes and goes needs a terminal of its own, one that can remove it.
    isWatched =
      terminal.isErrorTerminal && !arguments.has("quiet") && environment("TERM") != "dumb"
    bytes = ByteWriter { part throws(StoreError) in try output.write(part) }
    limits = ExecutionLimits(
      timeout: try arguments.value("timeout").map { text throws(StoreError) in
        try OptionValues.duration(text, "--timeout")
      })
    var options = ValueOptions()
    options.blobs = arguments.value("blobs").flatMap(ValueOptions.Blobs.init)
    options.integersAsText = arguments.value("json-integers") == "string"
    valueOptions = options
    if output.isProcess { Interruption.install(limits) }
  }

  /// Ends what the command began.
  func finish() {
    try? engine?.close()
    if let temporaryFile { StandardInput.remove(temporaryFile) }
    output.finish()
  }

  /// The error as the caller knows the file: a copy of standard input has no name of its own.
  func named(_ error: StoreError) -> StoreError {
    guard let temporaryFile, error.path == temporaryFile else { return error }
    var copy = error
    copy.path = "standard input"
    return copy
  }

  /// Shows how far long work has come where a person waits for it.
  ///
  /// - Parameters:
  ///   - besideResults: Whether it may be shown on the terminal that results go to, because none are
  ///     written meanwhile.
  ///   - total: How much there is to do; asked only if it will be shown.
  func progress(
    _ label: String, unit: String, besideResults: Bool = false, total: () -> Int64? = { nil }
  ) -> ProgressMeter {
    let start = ContinuousClock.now
    let isShown = besideResults ? isWatched : showsProgress
    return ProgressMeter(
      label, unit: unit, columns: terminal.columns, total: isShown ? total() : nil,
      now: { ContinuousClock.now - start }, show: isShown ? Output.show : nil)
  }

  /// Reports an error that ends the command with an exit code of its own.
  func fail(_ error: StoreError, _ code: ExitCode) -> ExitCode {
    ErrorText.report(error, code, asJSON: arguments.value("errors") == "json", to: output)
    return code
  }

  /// Closes the file, for work that opens it in another way.
  func closeFile() {
    try? engine?.close()
    engine = nil
  }

  /// How long to wait for locks.
  func waitingTime() throws(StoreError) -> Duration {
    try arguments.value("wait").map { text throws(StoreError) in
      try OptionValues.duration(text, "--wait")
    } ?? .zero
  }

  /// Says something on standard error, once, unless asked to be quiet.
  func note(_ text: String) {
    if !arguments.has("quiet"), said.insert(text).inserted {
      output.message("store-inspect: note: " + TerminalText.escaped(FileName.shown(text)))
    }
  }

  /// The path for messages.
  var path: String { arguments.positional.first ?? "" }

  /// A second file as LMDB databases of entries; `nil` for files of other formats.
  func otherLMDB(_ path: String) throws(StoreError) -> ForeignEngine? {
    guard path != "-" else {
      throw UsageError.make("only the first file can be standard input", hint: "name the second")
    }
    let options = EngineOptions(access: .readOnly, isUntrusted: true, limits: limits)
    let path = DataFile.path(of: path)
    let opened = try EngineOpener.open(.file(path), options: options, backends: Backends.all)
    defer { try? opened.close() }
    guard opened.format == .lmdb else { return nil }
    return try ForeignEngine(path, options)
  }

  /// Opens the file: for reading only, whatever it is, unless changes are allowed.
  func open() throws(StoreError) -> any StorageEngine {
    if let engine { return engine }
    var path = path
    if path == "-" {
      path = try StandardInput.copyToTemporaryFile()
      temporaryFile = path
    }
    let mayWrite = arguments.has("write")
    let options = EngineOptions(
      access: mayWrite ? .readWrite(create: false) : .readOnly,
      isUntrusted: !arguments.has("trust"),
      busyTimeout: try waitingTime(), maximumReaders: 2, limits: limits)
    // A folder stands for the data file in it.
    path = DataFile.path(of: path)
    let format = arguments.value("type").flatMap { $0 == "auto" ? nil : StoreFormat(rawValue: $0) }
    let opened = try EngineOpener.open(
      .file(path), format: format, options: options, backends: Backends.all)
    engine = opened
    for notice in opened.notices { note(notice) }
    if arguments.has("verbose") { try explainOpening(opened) }
    return opened
  }

  /// Says how the file is read and what it is.
  private func explainOpening(_ engine: any StorageEngine) throws(StoreError) {
    for fact in try engine.report().facts where ["readMode", "journalMode"].contains(fact.key) {
      note("\(fact.label): \(InfoCommand.text(fact.value))")
    }
  }

  /// The file as LMDB databases of entries; `nil` for files of other formats, and for Kura's own
  /// unless their entries are meant.
  func foreignLMDB(evenOfKura: Bool = false) throws(StoreError) -> ForeignEngine? {
    let opened = try open()
    if let foreign = opened as? ForeignEngine { return foreign }
    guard evenOfKura || arguments.has("db") || arguments.value("format") == "mdb",
      opened.format == .lmdb, let path = opened.location.path
    else { return nil }
    return try ForeignEngine(
      path, EngineOptions(access: .readOnly, isUntrusted: true, limits: limits))
  }

  /// Waits, less long when the command is interrupted.
  ///
  /// - Throws: ``Output/pipeClosed`` when nobody reads the output any more.
  func wait(_ time: Duration) throws(StoreError) { try output.wait(time) }

  /// Throws when the command was interrupted or its time is over.
  func checkLimits() throws(StoreError) {
    guard limits.mustStop() else { return }
    throw limits.stopReason ?? StoreError(.cancelled, "interrupted")
  }

  /// Begins to read.
  func read() throws(StoreError) -> any EngineReadTransaction { try open().beginRead() }

  /// The format of records: the one asked for, else a table for people and NDJSON for programs.
  func format(default other: OutputFormat? = nil) throws(StoreError) -> OutputFormat {
    if let name = arguments.value("format") {
      guard name != "mdb" else {
        throw UsageError.make(
          "mdb is the text form of LMDB's mdb_dump: it goes with dump and get of LMDB files",
          hint: "use sql or ndjson")
      }
      if let format = OutputFormat(rawValue: name) ?? OutputFormat.aliases[name] { return format }
    }
    return other ?? (terminal.isOutputTerminal ? .table : .ndjson)
  }

  /// The most records; a terminal's table has a limit of its own.
  func limit() throws(StoreError) -> Int? {
    try arguments.value("limit").map { text throws(StoreError) in
      try OptionValues.count(text, "--limit")
    }
  }

  /// Writes all rows of a cursor in a format.
  ///
  /// - Parameter total: About how many there are; asked only if it will be shown.
  func write(
    _ cursor: any RecordCursor, _ format: OutputFormat, model: String,
    total: () -> Int64? = { nil }
  ) throws(StoreError) -> Int {
    let writer = RecordWriters.make(
      format, bytes, options: valueOptions, terminal: terminal, model: model)
    let row = RowBuffer(columns: cursor.columnNames.count)
    let isPeopleTable = format == .table && terminal.isOutputTerminal
    let most = try limit() ?? (isPeopleTable ? 500 : Int.max)
    let meter = progress(model, unit: "records", total: total)
    var count = 0
    defer {
      meter.finish()
      cursor.close()
    }
    do {
      try writer.begin(cursor.columnNames)
      while count < most, try cursor.next(into: row) {
        try writer.write(row)
        count += 1
        if count & 0x3FF == 0 { meter.update(Int64(count)) }
      }
      if count == most, isPeopleTable, arguments.value("limit") == nil, try cursor.next(into: row) {
        note("only the first \(most) records are shown; use --limit for more")
      }
      try writer.end()
    } catch {
      // What was read before the fault is the caller's.
      try writer.abandon()
      try bytes.flush()
      throw error
    }
    try bytes.flush()
    return count
  }
}

/// The backends that the tool knows.
enum Backends {
  static let all: [any StorageBackend] = [
    SQLiteBackend(), ForeignLMDBBackend(),
  ]
}
