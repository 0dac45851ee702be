import KuraCore
import KuraSQLite
import Testing

@Suite struct NullFindingTests {
  @Test("nulls that SQLite 3.40 only imagines are no findings")
  func imaginedNulls() throws {
    let engine = try SQLiteBackend().open(.memory, EngineOptions())
    let write = try engine.beginWrite(timeout: nil)
    let sql = try #require(write as? any SQLWriteTransaction)
    // Stock sqlite3 3.40.1 says "NULL value in pair.a" here; later versions say "ok".
    for statement in [
      "CREATE TABLE pair (note TEXT, a INTEGER NOT NULL, b TEXT NOT NULL, PRIMARY KEY (b)) "
        + "STRICT, WITHOUT ROWID",
      "INSERT INTO pair VALUES (NULL, 1, 'x')",
    ] {
      _ = try sql.execute(sql: statement, parameters: [:])
    }
    try write.commit()
    let report = try engine.check(.normal, progress: nil)
    #expect(report.findings.isEmpty, "\(report.findings)")
    try engine.close()
  }
}
