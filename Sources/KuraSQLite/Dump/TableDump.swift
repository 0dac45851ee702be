import CSQLite
import KuraCore

/// Writes the rows of one table as INSERT statements.
///
/// Row numbers that SQLite would not give by itself (the greatest one plus one, 1 in an empty table)
/// are written. Around a damaged page of a table with row numbers, what can be reached is read.
struct TableDump {
  private let dump: SQLiteDump
  private let model: StoredModel
  private let bytes: ByteWriter
  /// The written columns: generated ones are left out.
  private let columns: [String]
  /// A name of the row number.
  private let rowID: String?
  /// Whether row numbers go into the text.
  private let keepsRowIDs: Bool
  private let condition: SQLText?
  /// The position of the column that is the row number.
  private let aliasColumn: Int32
  /// The number of the row written last, when numbers are written.
  private var last: Int64?
  /// The greatest row number so far, and how many rows came after a greater or equal one.
  ///
  /// A sound table gives its rows in the order of their numbers. Pages that refer to each other in a
  /// ring or stand in two places give rows twice, in a ring of many pages without an end.
  private var greatest: Int64?
  private var misplacedCount: Int64 = 0
  private(set) var rowCount: Int64 = 0
  private(set) var problems: [String] = []

  /// The most damaged places of a table that are passed over.
  private static let maximumGaps = 1000

  init(_ dump: SQLiteDump, _ model: StoredModel, keepsRowIDs: Bool) throws(StoreError) {
    self.dump = dump
    self.model = model
    bytes = dump.bytes
    let columns = model.columns.filter { $0.generation == nil && !$0.isHidden }.map(\.name)
    self.columns = columns
    let alias = TableDump.rowIDAlias(of: model)
    aliasColumn = Int32(clamping: alias.flatMap { columns.firstIndex(of: $0) } ?? 0)
    // One more than SQLite's 2,000 result columns is too many.
    let canNumber = alias != nil || keepsRowIDs && columns.count < 2000
    let rowID = model.isWithoutRowID || !canNumber ? nil : alias ?? model.rowIDName
    self.rowID = rowID
    self.keepsRowIDs = alias == nil && rowID != nil
    condition = try TableDump.condition(dump.options, model)
  }

  /// The column that is the row number by another name; a key with an index of its own is none.
  private static func rowIDAlias(of model: StoredModel) -> String? {
    guard !model.isWithoutRowID, model.primaryKey.count == 1,
      !model.indexes.contains(where: { $0.origin == .primaryKey }),
      let column = model.columns.first(where: { $0.name == model.primaryKey[0] }),
      Schema.asciiFolded(column.declaredType) == "integer"
    else { return nil }
    return column.name
  }

  private static func condition(_ options: SQLiteDump.Options, _ model: StoredModel)
    throws(StoreError) -> SQLText?
  {
    if let query = options.conditions[model.name] {
      var text = SQLText()
      text.append("(")
      try ConditionLowering(layout: query.layout).lower(query.condition, into: &text)
      text.append(")")
      return text
    }
    return options.conditionSQL.map { SQLText(sql: "(\($0))", values: []) }
  }

  // MARK: Walking

  mutating func run() throws(StoreError) {
    try walk()
    guard misplacedCount > 0 else { return }
    problems.append(
      "\(misplacedCount) rows of \"\(model.name)\" are out of order, some may be there twice")
  }

  private mutating func walk() throws(StoreError) {
    guard !columns.isEmpty else { return }
    var first: Int64?
    var gapCount = 0
    while let failure = try writeRows(from: first) {
      guard !TableDump.endsWork(failure) else { throw failure }
      gapCount += 1
      guard failure.code == .damaged, rowID != nil, gapCount < TableDump.maximumGaps,
        try canHold(rowCount)
      else { return try note(failure, next: nil) }
      let next = try nextReadable(after: greatest ?? first.map { $0 &- 1 })
      try note(failure, next: next)
      guard let next else { return }
      first = next
    }
  }

  /// Writes rows up to the end or the first that cannot be read; returns what it met then.
  private mutating func writeRows(from first: Int64?) throws(StoreError) -> StoreError? {
    let statement: SQLiteStatement
    do {
      statement = try prepare(from: first)
    } catch {
      return error
    }
    let names = columns.map(DumpObject.identifier).joined(separator: ",")
    let isPartial = columns.count < model.columns.count(where: { !$0.isHidden })
    let table = DumpObject.identifier(model.name)
    let plainHead = "INSERT INTO \(table)\(isPartial ? "(\(names))" : "") VALUES("
    let numberedHead =
      "INSERT INTO \(table)(\(rowID.map(DumpObject.identifier) ?? ""),\(names)) VALUES("
    let start: Int32 = keepsRowIDs ? 1 : 0
    let end = start + Int32(clamping: columns.count)
    let (literals, bytes) = (dump.literals, bytes)
    while true {
      do {
        guard try statement.step() else { return nil }
      } catch {
        return error
      }
      let number = rowID == nil ? 0 : statement.integer(keepsRowIDs ? 0 : Int(aliasColumn))
      if rowID != nil {
        if let greatest, number <= greatest {
          misplacedCount += 1
          if rowCount & 0xFFF == 0, !(try canHold(rowCount)) { return endless() }
        } else {
          greatest = number
        }
      }
      if keepsRowIDs, number != (last ?? 0) &+ 1 {
        try bytes.append(numberedHead)
        try bytes.append(number)
        try bytes.append(UInt8(ascii: ","))
      } else {
        try bytes.append(plainHead)
      }
      if keepsRowIDs { last = number }
      var column = start
      while column < end {
        if column > start { try bytes.append(UInt8(ascii: ",")) }
        try literals.append(statement, column)
        column += 1
      }
      try bytes.append(");\n")
      rowCount += 1
      if rowCount & 0x3FF == 0 { try dump.progress?(dump.summary.rowCount + rowCount, nil) }
    }
  }

  private func prepare(from first: Int64?, limit: String = "") throws(StoreError)
    -> SQLiteStatement
  {
    var list = columns.map(SQLLiterals.quoted)
    if keepsRowIDs, let rowID { list.insert(SQLLiterals.quoted(rowID), at: 0) }
    var text = SQLText()
    text.append("SELECT \(list.joined(separator: ", ")) FROM \(SQLLiterals.quoted(model.name))")
    // A damaged index must not decide which rows there are.
    if condition == nil { text.append(" NOT INDEXED") }
    var parts: [String] = []
    if let condition {
      parts.append(condition.sql)
      text.values += condition.values
    }
    if let rowID, let first {
      parts.append("\(SQLLiterals.quoted(rowID)) >= ?")
      text.values.append(.integer(first))
    }
    if !parts.isEmpty { text.append(" WHERE " + parts.joined(separator: " AND ")) }
    if let rowID { text.append(" ORDER BY \(SQLLiterals.quoted(rowID))") }
    let statement = try dump.connection.prepare(text.sql + limit)
    for (index, value) in text.values.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }

  // MARK: Around damage

  /// Whether a file of this size can have more rows than a number; four bytes are the least of one.
  private func canHold(_ count: Int64) throws(StoreError) -> Bool {
    let pages = try dump.connection.integer("PRAGMA page_count") ?? 0
    let size = try dump.connection.integer("PRAGMA page_size") ?? 0
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: size)
    return overflow || count < bytes / 4
  }

  private func endless() -> StoreError {
    StoreError(
      .damaged, "the table gives more rows than the file can have", path: dump.connection.path,
      engineCode: SQLITE_CORRUPT)
  }

  /// The least row number from which reading goes on, found by doubling and halving steps.
  private func nextReadable(after last: Int64?) throws(StoreError) -> Int64? {
    let base = last ?? -1
    guard base < .max else { return nil }
    var bad = base + 1
    var step: Int64 = 1
    var good: Int64?
    while good == nil {
      let (candidate, overflow) = bad.addingReportingOverflow(step)
      let place = overflow ? Int64.max : candidate
      switch try look(place) {
      case .damage:
        bad = place
        if place == .max { return nil }
        step = step > .max / 2 ? .max : step * 2
      case .row, .end: good = place
      }
    }
    guard var good else { return nil }
    // Row numbers may be negative, so their distance may be beyond 64 bits.
    while bad + 1 < good {
      let middle = (bad & good) + ((bad ^ good) >> 1)
      if case .damage = try look(middle) { bad = middle } else { good = middle }
    }
    if case .row = try look(good) { return good }
    return nil
  }

  private enum Look { case row, end, damage }

  private func look(_ first: Int64) throws(StoreError) -> Look {
    do {
      return try prepare(from: first, limit: " LIMIT 1").step() ? .row : .end
    } catch {
      // Being told to stop is no damage.
      guard !TableDump.endsWork(error) else { throw error }
      return .damage
    }
  }

  private static func endsWork(_ error: StoreError) -> Bool {
    error.code.kind == .cancelled || error.code.kind == .busy
  }

  private mutating func note(_ failure: StoreError, next: Int64?) throws(StoreError) {
    let code = (failure.engineCode ?? 1) & 0xFF
    let reason = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? failure.message
    try bytes.append("/**** ERROR: (\(code)) \(reason) *****/\n")
    let place: String
    switch (greatest, next) {
    case (let last?, let next?): place = "rows between \(last) and \(next)"
    case (let last?, nil): place = "rows after \(last)"
    case (nil, let next?): place = "rows before \(next)"
    case (nil, nil): place = rowCount == 0 ? "the rows" : "the rows after the first \(rowCount)"
    }
    problems.append("\(place) of \"\(model.name)\" cannot be read: \(failure.message)")
  }
}
