import Kura
import PlainC

/// Kura on LMDB against plain C calls of liblmdb on files of the same layout.
struct LMDBWorkloads {
  let kura: StoreWorkloads
  let folder: String

  func measure() throws -> [Measurement] {
    let (rows, rounds) = (kura.arguments.rows, kura.arguments.rounds)
    let plainFile = folder + "/plain.lmdb"
    func plainInsert() -> Int64 {
      removeStore(plainFile)
      return plain_lmdb_insert(plainFile, rows)
    }
    let insertRecords = try compare(
      "insert records, one transaction", rounds: rounds,
      plain: plainInsert, kura: kura.insertRecords)
    let insert = try compare(
      "insert rows through the backend contract, mdb_put", rounds: rounds, target: 1.3,
      plain: {
        removeStore(plainFile)
        return plain_lmdb_insert_anywhere(plainFile, rows)
      }, kura: kura.insert)
    let append = try compare(
      "insert rows through the backend contract, MDB_APPEND", rounds: rounds,
      plain: plainInsert, kura: kura.insert)
    try checkLayout()

    guard let plain = plain_lmdb_open(plainFile) else {
      throw BenchmarkError("cannot open \(plainFile)")
    }
    defer { plain_lmdb_close(plain) }
    let store = try kura.openStore()
    defer { try? store.close() }
    let engine = try kura.openEngine()
    defer { try? engine.close() }
    return [
      insertRecords, insert, append,
      try compare(
        "scan of all rows through the backend contract", rounds: rounds, target: 1.5,
        plain: { plain_lmdb_scan(plain) }, kura: { try kura.scan(engine) }),
      try compare(
        "read all rows as records", rounds: rounds, target: 3.0,
        plain: { plain_lmdb_fetch(plain) }, kura: { try kura.fetch(store) }),
      try compare(
        "point reads by random key", rounds: rounds, target: 1.5,
        plain: { plain_lmdb_point_reads(plain, rows, kura.arguments.pointReads) },
        kura: { try kura.pointReads(store) }),
    ]
  }

  /// Lets C read the file that Kura made, while Kura does not have it open: the layout is the same.
  private func checkLayout() throws {
    guard let file = plain_lmdb_open(kura.file) else {
      throw BenchmarkError("C cannot open \(kura.file)")
    }
    let sum = plain_lmdb_scan(file)
    plain_lmdb_close(file)
    let engine = try kura.openEngine()
    defer { try? engine.close() }
    guard sum >= 0, try kura.scan(engine) == sum else {
      throw BenchmarkError("C reads something else from Kura's file")
    }
  }
}
