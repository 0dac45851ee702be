import CSQLite
import KuraCore

/// One row of the schema table with the exact bytes of its statement.
struct DumpObject {
  enum Kind { case table, virtual, index, view, trigger, engine }

  var kind: Kind
  var name: String
  var owner: String
  /// The statement; it may hold anything but U+0000.
  var sql: [UInt8]

  /// Whether the table has what ANALYZE counted.
  var isStatistics: Bool {
    kind == .engine && Schema.asciiFolded(name).hasPrefix("sqlite_stat")
  }

  /// Reads all rows that have a statement.
  static func read(_ connection: SQLiteConnection) throws(StoreError) -> [DumpObject] {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid")
    var objects: [DumpObject] = []
    while try statement.step() {
      let name = statement.text(1) ?? ""
      let sql = unsafe Array(statement.slot(3).bytes.prefix { $0 != 0 })
      let kind: Kind
      switch statement.text(0) {
      case "table":
        if Schema.asciiFolded(name).hasPrefix("sqlite_") {
          kind = .engine
        } else {
          let text = String(decoding: sql, as: UTF8.self)
          kind = ShadowTables.module(of: text) == nil ? .table : .virtual
        }
      case "index": kind = .index
      case "view": kind = .view
      case "trigger": kind = .trigger
      default: continue
      }
      objects.append(
        DumpObject(kind: kind, name: name, owner: statement.text(2) ?? "", sql: sql))
    }
    return objects
  }

  /// Adds the statement with its end: a comment that ends the text must not hide the semicolon.
  func append(to bytes: ByteWriter, ifNotExists: Bool = false) throws(StoreError) {
    var text = sql
    let head = Array("CREATE TABLE ".utf8)
    if ifNotExists, text.starts(with: head) {
      text.replaceSubrange(0..<head.count, with: "CREATE TABLE IF NOT EXISTS ".utf8)
    }
    let ends = [";", "\n;", "*/;", ";END;"]
    let end =
      ends.first { end in
        let candidate = (text + Array(end.utf8) + [0]).map { CChar(bitPattern: $0) }
        return unsafe sqlite3_complete(candidate) != 0
      } ?? ";"
    try bytes.append(text)
    try bytes.append(end + "\n")
  }

  /// A name as people would write it: quoted only when it has to be.
  static func identifier(_ name: String) -> String {
    let isKeyword = unsafe sqlite3_keyword_check(name, Int32(clamping: name.utf8.count)) != 0
    let isPlain =
      !isKeyword && !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
      } && !(name.utf8.first.map { (0x30...0x39).contains($0) } ?? true)
    return isPlain ? name : SQLLiterals.quoted(name)
  }
}
