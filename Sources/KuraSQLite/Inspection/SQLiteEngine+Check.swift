import CSQLite
package import KuraCore

extension SQLiteEngine {
  /// Looks for damage; nothing is written, whatever is found.
  package func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError)
    -> CheckReport
  {
    let transaction = try beginSQLRead()
    defer { transaction.end() }
    var check = DamageCheck(transaction, progress)
    try check.run(depth)
    return check.report
  }
}

/// One check of one snapshot.
///
/// SQLite leaves CHECK constraints out of a connection that may only read (`sqlite3AddCheckConstraint`),
/// so they are checked of Kura's own stores only, when those are open for writing.
struct DamageCheck {
  private let transaction: SQLiteTransaction
  private let progress: ProgressHandler?
  private(set) var report = CheckReport()
  private var done: Int64 = 0
  private var connection: SQLiteConnection { transaction.connection }

  /// The most findings of one kind of check; damage repeats itself.
  static let maximumFindings = 100

  init(_ transaction: SQLiteTransaction, _ progress: ProgressHandler?) {
    self.transaction = transaction
    self.progress = progress
  }

  mutating func run(_ depth: CheckDepth) throws(StoreError) {
    checkSize()
    try checkStructure(depth == .quick ? "quick_check" : "integrity_check")
    guard depth != .quick else { return }
    try checkReferences()
    let schema: StoredSchema
    do {
      schema = try transaction.storedSchema()
    } catch {
      return try add(error, model: nil)
    }
    for model in schema.models {
      guard let problem = model.problem else { continue }
      report.findings.append(
        .init(
          model.isDamaged ? .damage : .note, model: model.name, "cannot be used: \(problem)"))
    }
    guard depth == .deep else { return }
    for model in schema.models where model.kind != .view && model.kind != .virtual {
      try checkValues(of: model, schema.kuraSchema?.model(named: model.name))
    }
  }

  private mutating func checkSize() {
    guard let source = transaction.engine.pool.source as? ReadOnlySource,
      let pages = source.facts.headerPageCount, let size = source.facts.pageSize
    else { return }
    let (counted, overflow) = pages.multipliedReportingOverflow(by: size)
    if overflow || counted > source.facts.fileSize, !source.facts.hasLog {
      report.findings.append(
        .init(
          .damage,
          "the file ends early: its header counts \(pages) pages of \(size) bytes, "
            + "it has \(source.facts.fileSize) bytes"))
    } else if source.facts.fileSize % size != 0 {
      report.findings.append(.init(.note, "the file's size is not a whole number of pages"))
    }
  }

  // MARK: SQLite's own checks

  private mutating func checkStructure(_ pragma: String) throws(StoreError) {
    try advance()
    let statement: SQLiteStatement
    var count = 0
    var nulls: Set<String> = []
    do {
      statement = try connection.prepare("PRAGMA \(pragma)(\(DamageCheck.maximumFindings))")
      while try statement.step() {
        let text = statement.text(0) ?? ""
        guard text != "ok" else { continue }
        count += 1
        for line in text.split(separator: "\n") where !line.hasPrefix("*** in database ") {
          if line.hasPrefix(DamageCheck.nullPrefix) {
            nulls.insert(String(line))
          } else {
            report.findings.append(.init(DamageCheck.severity(String(line)), String(line)))
          }
        }
      }
      try confirm(nulls)
    } catch {
      return try add(error, model: nil)
    }
    if count >= DamageCheck.maximumFindings { report.isIncomplete = true }
  }

  private static let nullPrefix = "NULL value in "

  /// Adds findings of nulls that are there.
  ///
  /// SQLite 3.40 reads wrong columns of tables without row numbers whose key columns are not the
  /// first, and reports nulls that are none. `typeof` looks, where `IS NULL` trusts the schema.
  private mutating func confirm(_ findings: Set<String>) throws(StoreError) {
    for finding in findings.sorted() {
      let name = String(finding.dropFirst(DamageCheck.nullPrefix.count))
      let columns = try connection.prepare(
        "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c "
          + "WHERE m.type = 'table' AND m.name || '.' || c.name = ?")
      try columns.bind(.text(name), at: 1)
      guard try columns.step(), let table = columns.text(0), let column = columns.text(1) else {
        report.findings.append(.init(.violation, finding))
        continue
      }
      let nulls = try connection.prepare(
        "SELECT count(*) FROM \(SQLLiterals.quoted(table)) "
          + "WHERE typeof(\(SQLLiterals.quoted(column))) = 'null'")
      guard try nulls.step(), nulls.integer(0) > 0 else { continue }
      report.findings.append(.init(.violation, model: table, "\(finding): \(nulls.integer(0))"))
    }
  }

  /// Broken promises of the schema are told from damage by SQLite's fixed sentences.
  private static func severity(_ line: String) -> CheckReport.Finding.Severity {
    let isViolation =
      line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed in ")
      || line.hasPrefix("non-") || line.hasPrefix("TEXT value in ")
      || line.hasPrefix("NUMERIC value in ") || line.hasPrefix("non-unique entry in ")
    return isViolation ? .violation : .damage
  }

  private mutating func checkReferences() throws(StoreError) {
    try advance()
    let tables: [String]
    do {
      tables = try connection.texts(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') "
          + "AND name <> 'sqlite_schema'")
    } catch {
      return try add(error, model: nil)
    }
    // Table by table: a reference that is declared wrongly ends the pragma.
    for table in tables {
      do {
        let statement = try connection.prepare(
          "SELECT parent, count(*) FROM pragma_foreign_key_check(?) GROUP BY parent, fkid")
        try statement.bind(.text(table), at: 1)
        while try statement.step() {
          let count = statement.integer(1)
          report.findings.append(
            .init(
              .violation, model: table,
              "\(count) \(count == 1 ? "row refers" : "rows refer") to no row of "
                + "\"\(statement.text(0) ?? "")\""))
        }
      } catch {
        // Declared wrongly, as a reference to columns without a unique index.
        guard error.code != .damaged else {
          try add(error, model: table)
          continue
        }
        report.findings.append(
          .init(.note, model: table, "the references cannot be checked: \(error.message)"))
      }
    }
  }

  // MARK: Values

  private mutating func checkValues(of model: StoredModel, _ description: ModelDescription?)
    throws(StoreError)
  {
    let columns = model.columns.filter { !$0.isHidden && $0.generation == nil }
    guard !columns.isEmpty else { return }
    var malformed = [Int64](repeating: 0, count: columns.count)
    var undecodable = [Int64](repeating: 0, count: columns.count)
    let codecs = columns.map { column in
      ColumnCodec(
        description?.property(named: column.name)?.type ?? .any, isKuraModel: description != nil)
    }
    do {
      let list = columns.map { SQLLiterals.quoted($0.name) }.joined(separator: ", ")
      let statement = try connection.prepare(
        "SELECT \(list) FROM \(SQLLiterals.quoted(model.name)) NOT INDEXED")
      while try statement.step() {
        for index in columns.indices {
          let column = Int32(truncatingIfNeeded: index)
          if let slot = codecs[index].read(statement, column) {
            if slot.kind == .malformedText { malformed[index] += 1 }
          } else {
            undecodable[index] += 1
          }
        }
        done += 1
        if done & 0xFFF == 0 { try progress?(done, nil) }
      }
    } catch {
      try add(error, model: model.name)
    }
    for (index, column) in columns.enumerated() {
      if malformed[index] > 0 {
        report.findings.append(
          .init(
            .violation, model: model.name,
            "\(DamageCheck.texts(malformed[index], of: column.name)) not valid Unicode"))
      }
      if undecodable[index] > 0 {
        report.findings.append(
          .init(
            .damage, model: model.name,
            "\(undecodable[index]) values of \"\(column.name)\" are not of the type "
              + "\(description?.property(named: column.name)?.type.rawValue ?? "")"))
      }
    }
  }

  private static func texts(_ count: Int64, of column: String) -> String {
    count == 1 ? "1 text of \"\(column)\" is" : "\(count) texts of \"\(column)\" are"
  }

  // MARK: Helpers

  /// Turns what ended a part of the check into a finding, unless the caller ended it.
  private mutating func add(_ error: StoreError, model: String?) throws(StoreError) {
    switch error.code.kind {
    case .cancelled, .busy, .environment: throw error
    case .damaged:
      report.findings.append(.init(.damage, model: model, error.message))
    case .callerMistake, .cannotOpen, .refused, .schemaMismatch, .internalError:
      report.findings.append(.init(.note, model: model, "cannot be checked: \(error.message)"))
    }
  }

  private mutating func advance() throws(StoreError) { try progress?(done, nil) }
}

extension SQLiteConnection {
  /// The first column of all rows as texts.
  func texts(_ sql: String) throws(StoreError) -> [String] {
    let statement = try prepare(sql)
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(0) ?? "") }
    return texts
  }
}
