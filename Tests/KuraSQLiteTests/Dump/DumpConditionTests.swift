import KuraCore
import KuraSQLite
import Testing

@Suite struct DumpConditionTests {
  @Test("a condition that SQLite cannot take is an error, not a dump of every row")
  func tooDeep() throws {
    let engine = try SQLiteBackend().open(.memory, EngineOptions())
    let write = try engine.beginWrite(timeout: nil)
    let sql = try #require(write as? any SQLWriteTransaction)
    _ = try sql.execute(sql: "CREATE TABLE t (n INTEGER PRIMARY KEY)", parameters: [:])
    _ = try sql.execute(sql: "INSERT INTO t VALUES (1), (2)", parameters: [:])
    try write.commit()
    let read = try engine.beginRead()
    let stored = try #require(try read.storedSchema().models.first { $0.name == "t" })
    var condition = BoundCondition.compareValue(column: 0, .equal, .integer(1))
    for depth in 0..<100 {
      let leaf = BoundCondition.compareValue(column: 0, .equal, .integer(2))
      condition = depth.isMultiple(of: 2) ? .all([leaf, condition]) : .any([leaf, condition])
    }
    var query = try Query("t").bound(to: ModelLayout(stored))
    query.condition = condition
    var options = SQLiteDump.Options()
    options.conditions["t"] = query
    var text: [UInt8] = []
    let bytes = ByteWriter { part throws(StoreError) in text += part }
    #expect(throws: StoreError.self) { try SQLiteDump.write(read, options, to: bytes) }
    try bytes.flush()
    #expect(!String(decoding: text, as: UTF8.self).contains("INSERT"))
    read.end()
    try engine.close()
  }
}
