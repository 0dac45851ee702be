import KuraCore

/// Writes INSERT statements.
final class SQLInsertWriter: RecordWriter {
  private let bytes: ByteWriter
  private let table: String
  private var head = ""
  private var count = 0

  init(_ bytes: ByteWriter, _ table: String) {
    self.bytes = bytes
    self.table = table
  }

  func begin(_ columns: [String]) throws(StoreError) {
    count = columns.count
    head =
      "INSERT INTO \(SQLLiterals.quoted(table))("
      + columns.map(SQLLiterals.quoted).joined(separator: ",") + ") VALUES("
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    try bytes.append(head)
    for index in 0..<count {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try SQLLiterals.append(row[index], to: bytes)
    }
    try bytes.append(");\n")
  }

  func end() throws(StoreError) {}
}
