import CSQLite
import KuraCore

/// Writes values as literals that SQLite reads back as exactly the same values.
struct DumpLiterals {
  private let connection: SQLiteConnection
  private let bytes: ByteWriter
  private let skipsData: Bool
  private let reals: RealLiterals
  /// The name of the file's text encoding, as `PRAGMA encoding` has it.
  let encoding: String
  private let isWide: Bool
  private let isBigEndian: Bool

  init(_ connection: SQLiteConnection, _ bytes: ByteWriter, skipsData: Bool) throws(StoreError) {
    self.connection = connection
    self.bytes = bytes
    self.skipsData = skipsData
    reals = try RealLiterals(connection)
    encoding = try connection.text("PRAGMA encoding") ?? "UTF-8"
    isWide = encoding.hasPrefix("UTF-16")
    isBigEndian = encoding == "UTF-16be"
  }

  /// Adds a column of a statement's current row.
  @inline(__always)
  func append(_ statement: SQLiteStatement, _ column: Int32) throws(StoreError) {
    if isWide, unsafe sqlite3_column_type(statement.handle, column) == SQLITE_TEXT,
      try appendWide(statement, column)
    {
      return
    }
    let slot = statement.slot(column)
    switch slot.kind {
    case .double: try reals.append(slot.double, to: bytes)
    case .data where skipsData: try bytes.append("NULL")
    default: try SQLLiterals.append(slot, to: bytes)
    }
  }

  /// Adds a text.
  func append(text: [UInt8]) throws(StoreError) {
    try unsafe text.withUnsafeBufferPointer { part throws(StoreError) in
      try unsafe SQLLiterals.append(
        ColumnSlot(.text, borrowing: UnsafeRawBufferPointer(part)), to: bytes)
    }
  }

  /// Adds a text of a UTF-16 file by its bytes when it has a NUL or is malformed; says whether it did.
  ///
  /// A cast reads bytes in the file's encoding.
  private func appendWide(_ statement: SQLiteStatement, _ column: Int32) throws(StoreError) -> Bool
  {
    guard let start = unsafe sqlite3_column_text16(statement.handle, column) else { return false }
    let count = unsafe Int(sqlite3_column_bytes16(statement.handle, column)) / 2
    let units = unsafe UnsafeBufferPointer(
      start: start.assumingMemoryBound(to: UInt16.self), count: count)
    guard unsafe !DumpLiterals.isClean(units) else { return false }
    try bytes.append("CAST(X'")
    for index in units.indices {
      let unit = unsafe units[index]
      // SQLite gives the machine's byte order.
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      try appendHex(isBigEndian ? high : low)
      try appendHex(isBigEndian ? low : high)
    }
    try bytes.append("' AS TEXT)")
    return true
  }

  private func appendHex(_ byte: UInt8) throws(StoreError) {
    for digit in [byte >> 4, byte & 15] {
      try bytes.append(digit < 10 ? digit + 48 : digit + 87)
    }
  }

  private static func isClean(_ units: UnsafeBufferPointer<UInt16>) -> Bool {
    var index = 0
    while index < units.count {
      let unit = unsafe units[index]
      if unit == 0 { return false }
      if unit & 0xF800 == 0xD800 {
        guard unit & 0xFC00 == 0xD800, index + 1 < units.count,
          unsafe units[index + 1] & 0xFC00 == 0xDC00
        else { return false }
        index += 1
      }
      index += 1
    }
    return true
  }
}
