import Kura
import PlainC

/// Kura on SQLite against plain C calls of sqlite3.
struct SQLiteWorkloads {
  let kura: StoreWorkloads
  let folder: String
  /// The file that C made.
  let plainFile: String

  func measure() throws -> [Measurement] {
    let (rows, rounds) = (kura.arguments.rows, kura.arguments.rounds)
    let scratch = folder + "/plain.sqlite"
    func plainInsert() -> Int64 {
      removeStore(scratch)
      return plain_insert(scratch, rows)
    }
    let insertRecords = try compare(
      "insert records, one transaction", rounds: rounds / 2 + 1,
      plain: plainInsert, kura: kura.insertRecords)
    let insert = try compare(
      "insert rows through the backend contract", rounds: rounds / 2 + 1,
      plain: plainInsert, kura: kura.insert)
    removeStore(scratch)
    let open = try compare(
      "open to first row", rounds: max(21, rounds), isWall: true,
      plain: { plain_open(plainFile) }, kura: kura.open)
    let store = try kura.openStore()
    defer { try? store.close() }
    let engine = try kura.openEngine()
    defer { try? engine.close() }
    return [
      open, insertRecords, insert,
      try compare(
        "scan of all rows through the backend contract", rounds: rounds,
        plain: { plain_scan(plainFile) }, kura: { try kura.scan(engine) }),
      try compare(
        "read all rows as records", rounds: rounds, target: 2.0,
        plain: { plain_fetch(plainFile) }, kura: { try kura.fetch(store) }),
      try compare(
        "point reads by random key", rounds: rounds,
        plain: { plain_point_reads(plainFile, rows, kura.arguments.pointReads) },
        kura: { try kura.pointReads(store) }),
    ]
  }
}
