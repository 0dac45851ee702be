import CSQLite
import KuraCore

/// Collects the facts of a report in the order in which people read them.
struct ReportBuilder {
  var report = FileReport()

  private mutating func add(_ key: String, _ label: String, _ value: FileReport.Value) {
    report.facts.append(.init(key, label, value))
  }

  mutating func addFile(_ facts: SQLiteFileFacts) {
    add("format", "format", .text("sqlite"))
    add("fileSize", "file size", .byteCount(facts.fileSize))
    if facts.fileSize == 0 {
      report.warnings.append("the file is empty, which SQLite takes for a database")
    }
  }

  // MARK: From the bytes

  /// Facts of the header for a file that SQLite does not open.
  mutating func addHeader(_ facts: SQLiteFileFacts) {
    guard facts.header.count == 100 else {
      report.warnings.append("the file is shorter than the 100 bytes of a header")
      return
    }
    if let size = facts.pageSize {
      add("pageSize", "page size", .byteCount(size))
    } else {
      report.warnings.append("the header has no allowed page size")
    }
    if let count = facts.headerPageCount { add("pageCount", "pages", .integer(count)) }
    add("freePageCount", "free pages", .integer(Int64(facts.number(36, 4) ?? 0)))
    let encodings = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"]
    if let code = facts.number(56, 4) {
      if code < 4 {
        add("encoding", "encoding", .text(encodings[Int(code)]))
      } else {
        report.warnings.append("the header has an unknown text encoding")
      }
    }
    add("journalMode", "journal mode", .text(facts.isWALMode ? "wal" : "rollback"))
    addNumbers(
      userVersion: Int64(Int32(bitPattern: facts.number(60, 4) ?? 0)),
      applicationID: Int64(facts.number(68, 4) ?? 0))
    addFormat(facts)
  }

  private mutating func addFormat(_ facts: SQLiteFileFacts) {
    if let format = facts.number(44, 4) {
      add("schemaFormat", "schema format", .integer(Int64(format)))
    }
    if let reserved = facts.number(20, 1), reserved > 0 {
      add("reservedByteCount", "reserved bytes per page", .integer(Int64(reserved)))
    }
    if let version = facts.number(96, 4), version > 0 {
      let text = "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
      add("writtenBy", "written by", .text("SQLite \(text)"))
    }
    for (offset, name) in [(18, "writing"), (19, "reading")] {
      if let version = facts.number(offset, 1), version > 2 {
        report.warnings.append("the file needs a newer SQLite for \(name) (format \(version))")
      }
    }
    if let pages = facts.headerPageCount, let size = facts.pageSize {
      let (counted, overflow) = pages.multipliedReportingOverflow(by: size)
      if !facts.hasLog, overflow || counted != facts.fileSize {
        report.warnings.append(
          "the header counts \(pages) pages of \(size) bytes, the file has "
            + "\(facts.fileSize) bytes")
      }
    }
  }

  private mutating func addNumbers(userVersion: Int64, applicationID: Int64) {
    add("userVersion", "user version", .integer(userVersion))
    let id = UInt32(truncatingIfNeeded: applicationID)
    add("applicationID", "application id", .integer(Int64(id)))
    if let name = KnownApplications.name(ofApplicationID: applicationID) {
      add("application", "application", .text(name))
    }
  }

  // MARK: From SQLite

  mutating func addContent(_ transaction: SQLiteTransaction, _ facts: SQLiteFileFacts?) {
    let connection = transaction.connection
    func number(_ sql: String) -> Int64? { (try? connection.integer(sql)) ?? nil }
    if facts == nil { add("format", "format", .text("sqlite")) }
    if let size = number("PRAGMA page_size") { add("pageSize", "page size", .byteCount(size)) }
    if let count = number("PRAGMA page_count") { add("pageCount", "pages", .integer(count)) }
    if let free = number("PRAGMA freelist_count") {
      add("freePageCount", "free pages", .integer(free))
    }
    if let encoding = (try? connection.text("PRAGMA encoding")) ?? nil {
      add("encoding", "encoding", .text(encoding))
    }
    let isWAL = facts?.isWALMode ?? false || facts?.hasLog ?? false
    let mode = (try? connection.text("PRAGMA journal_mode")) ?? nil
    add("journalMode", "journal mode", .text(isWAL ? "wal" : mode == "wal" ? "wal" : "rollback"))
    if let vacuum = number("PRAGMA auto_vacuum"), vacuum != 0 {
      add("autoVacuum", "auto vacuum", .text(vacuum == 1 ? "full" : "incremental"))
    }
    addNumbers(
      userVersion: number("PRAGMA user_version") ?? 0,
      applicationID: number("PRAGMA application_id") ?? 0)
    if let facts { addFormat(facts) }
    addObjects(connection)
    addKura(connection)
  }

  private mutating func addObjects(_ connection: SQLiteConnection) {
    let names = (try? connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")) ?? []
    let views = (try? connection.texts("SELECT name FROM sqlite_schema WHERE type = 'view'")) ?? []
    let marks = MigrationMark.all(connection)
    let makers = KnownApplications.makers(of: Set(names + views)).filter { maker in
      // Of tools that share a table, the columns tell.
      !marks.contains { maker == "Rails (\($0.table))" && $0.name != "Rails" }
    }
    let others = marks.filter { mark in !makers.contains { $0 == "\(mark.name) (\(mark.table))" } }
      .map { "\($0.name) (\($0.table))" }
    if !(makers + others).isEmpty { add("madeBy", "made by", .list(makers + others)) }
    if !marks.isEmpty { add("otherMigrations", "migrations", .list(marks.map(\.text))) }
    report.warnings += marks.flatMap(\.warnings)
    for (key, label, kind) in [
      ("tableCount", "tables", "table"), ("viewCount", "views", "view"),
      ("indexCount", "indexes", "index"), ("triggerCount", "triggers", "trigger"),
    ] {
      let count = try? connection.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type = ?1 "
          + "AND (type <> 'table' OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\')", .text(kind))
      if let count { add(key, label, .integer(count)) }
    }
  }

  private mutating func addKura(_ connection: SQLiteConnection) {
    do {
      guard let schema = try MetadataTables.schema(connection) else { return }
      add("schemaVersion", "schema version", .integer(Int64(schema.version)))
      add("schemaFingerprint", "schema fingerprint", .text(schema.fingerprint))
      add("models", "models", .list(schema.models.map(\.name)))
    } catch {
      report.warnings.append(error.message)
    }
  }

  // MARK: Around the file

  mutating func addSurroundings(_ facts: SQLiteFileFacts, _ source: ReadOnlySource?) {
    if let size = facts.logSize {
      add("walSize", "-wal file", .byteCount(size))
      if size > 0 { addLog(LogFacts(facts.realPath + "-wal")) }
    }
    if let size = facts.sharedMemorySize { add("shmSize", "-shm file", .byteCount(size)) }
    if let size = facts.journalSize {
      add("journalSize", "-journal file", .byteCount(size))
      let isInUse = !LockHolders.processes(of: facts.realPath).isEmpty
      let state =
        !facts.hasHotJournal
        ? "left over, not needed" : isInUse ? "in use" : "hot: to be rolled back"
      add("journalState", "-journal state", .text(state))
    }
    let holders = LockHolders.processes(of: facts.realPath)
    if !holders.isEmpty {
      add("openedBy", "opened by", .list(holders.map { LockHolders.describe([$0]) }))
    }
    if let source { add("readMode", "read", .text(ReportBuilder.text(source.rung))) }
  }

  private mutating func addLog(_ log: LogFacts) {
    guard log.isValid else {
      report.warnings.append("the -wal file is not a log that SQLite would use")
      return
    }
    add("walFrameCount", "-wal committed frames", .integer(Int64(log.committedFrameCount)))
    if log.unfinishedFrameCount > 0 {
      add(
        "walUnfinishedFrameCount", "-wal unfinished frames",
        .integer(Int64(log.unfinishedFrameCount)))
    }
    if log.isPartial { report.warnings.append("the -wal file was looked at in part only") }
  }

  private static func text(_ rung: ReadOnlySource.Rung) -> String {
    switch rung {
    case .locked: "in place, with SQLite's locks"
    case .immutable: "in place, at rest"
    case .privateIndex: "in place with its log, at rest"
    case .copy: "from a private copy"
    }
  }

  mutating func addLibrary() {
    let version = unsafe String(cString: sqlite3_libversion())
    add("library", "SQLite library", .text(version))
    if sqlite3_libversion_number() < 3_051_003 {
      add(
        "libraryNotes", "library notes",
        .list(["WAL-reset race between two checkpoints, fixed in 3.51.3"]))
    }
  }
}
