import Kura
import PlainC

/// Kura's two backends side by side, and what does not depend on the number of records.
struct BackendWorkloads {
  let sqlite: StoreWorkloads
  let lmdb: StoreWorkloads
  let folder: String

  /// The same calls on the same records in both formats.
  func measure() throws -> [Measurement] {
    let rounds = sqlite.arguments.rounds
    let stores = (sqlite: try sqlite.openStore(), lmdb: try lmdb.openStore())
    let engines = (sqlite: try sqlite.openEngine(), lmdb: try lmdb.openEngine())
    defer {
      try? stores.sqlite.close()
      try? stores.lmdb.close()
      try? engines.sqlite.close()
      try? engines.lmdb.close()
    }
    var results = [
      try compare(
        "scan of all rows through the backend contract", rounds: rounds, target: 3.0,
        plain: { try sqlite.scan(engines.sqlite) }, kura: { try lmdb.scan(engines.lmdb) }),
      try compare(
        "read all rows as records", rounds: rounds, target: 3.0,
        plain: { try sqlite.fetch(stores.sqlite) }, kura: { try lmdb.fetch(stores.lmdb) }),
      try compare(
        "point reads by random key", rounds: rounds, target: 3.0,
        plain: { try sqlite.pointReads(stores.sqlite) },
        kura: { try lmdb.pointReads(stores.lmdb) }),
    ]
    for index in results.indices { results[index].goal = .timesAsFast }
    results.append(
      Measurement(
        name: "file size", plain: try megabytes(sqlite.file), kura: try megabytes(lmdb.file),
        target: 1.4, unit: "MB"))
    return results
  }

  /// Changes of a model of LMDB with 1,000 records and with all of them, each a transaction.
  func measureSchemaChanges() throws -> [Measurement] {
    let small = folder + "/small.lmdb"
    _ = try lmdb.insert(rows: 1000, into: small)
    let engines = (
      small: try lmdb.backend.open(.file(small), EngineOptions()), all: try lmdb.openEngine()
    )
    defer {
      try? engines.small.close()
      try? engines.all.close()
      removeStore(small)
    }
    let note = PropertyDescription("note", .text, defaultValue: .text("none"))
    let changes: [(String, SchemaChange)] = [
      ("add a property", .addProperty(model: "person", note)),
      ("rename a property", .renameProperty(model: "person", from: "note", to: "remark")),
      ("remove a property", .removeProperty(model: "person", "remark")),
    ]
    var times = changes.map { _ in (small: [Double](), all: [Double]()) }
    for _ in 0..<sqlite.arguments.rounds {
      for (index, (_, change)) in changes.enumerated() {
        times[index].small.append(try apply(change, to: engines.small))
        times[index].all.append(try apply(change, to: engines.all))
      }
    }
    return zip(changes, times).map { change, times in
      let result = Measurement(
        name: change.0, plain: median(times.small), kura: median(times.all), target: 10,
        goal: .atMostAbsolute)
      progress(result)
      return result
    }
  }

  /// The milliseconds of one change with its commit.
  private func apply(_ change: SchemaChange, to engine: any StorageEngine) throws -> Double {
    let start = plain_now_ms()
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.apply(change)
    try transaction.commit()
    return plain_now_ms() - start
  }

  private func megabytes(_ path: String) throws -> Double {
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw BenchmarkError("cannot look at \(path)") }
    return Double(facts.st_size) / 1e6
  }
}
