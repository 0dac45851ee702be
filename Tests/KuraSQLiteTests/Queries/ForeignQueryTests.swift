import KuraCore
import KuraSQLite
import Testing

/// Queries on tables that SQL made, where a column holds what it holds.
@Suite struct ForeignQueryTests {
  private func ids(_ conditions: [String]) throws -> [[Int64]] {
    let engine = try SQLiteBackend().open(.memory, EngineOptions())
    let write = try engine.beginWrite(timeout: nil)
    let sql = try #require(write as? any SQLWriteTransaction)
    _ = try sql.execute(
      sql:
        "CREATE TABLE book (id INTEGER PRIMARY KEY, isbn TEXT COLLATE NOCASE, day DATE, n INTEGER)",
      parameters: [:])
    _ = try sql.execute(
      sql: """
        INSERT INTO book VALUES (1, 'a', '1905-01-01', 5), (2, 'B', '1914-09-20', 10),
          (3, '978', '1906', NULL), (4, NULL, 1906, 'n/a')
        """, parameters: [:])
    try write.commit()
    let read = try engine.beginRead()
    let stored = try #require(try read.storedSchema().models.first { $0.name == "book" })
    let layout = ModelLayout(stored)
    let results = try conditions.map { text in
      var query = try Query(parsing: text, model: "book").bound(to: layout)
      query.columns = [0]
      let cursor = try read.cursor(for: query)
      let row = RowBuffer(columns: 1)
      var ids: [Int64] = []
      while try cursor.next(into: row) { ids.append(row[0].integer) }
      cursor.close()
      return ids
    }
    read.end()
    try engine.close()
    return results
  }

  @Test("texts, numbers and nulls compare as the manual says, whatever was declared")
  func comparisons() throws {
    // `1906` went into a DATE column as a number both times: SQLite's affinity, when written.
    let expected: [(String, [Int64])] = [
      ("day BETWEEN '1900' AND '1910'", [1]), ("day < '1910'", [1, 3, 4]),
      ("day >= '1910-01-01'", [2]),
      ("day == 1906", [3, 4]), ("isbn == 'A'", []), ("isbn == 'a'", [1]), ("isbn == 'b'", []),
      ("isbn < 'a'", [2, 3]), ("isbn != 'a'", [2, 3, 4]), ("isbn == NULL", [4]),
      ("n >= '10'", [2, 4]), ("n == 'n/a'", [4]), ("n IN {'5', NULL}", [1, 3]), ("n > 5", [2, 4]),
      ("n CONTAINS '/'", [4]), ("NOT n CONTAINS '/'", [1, 2, 3]),
      ("TRUEPREDICATE SORT(isbn)", [4, 3, 2, 1]),
    ]
    let results = try ids(expected.map(\.0))
    for (index, (text, ids)) in expected.enumerated() { #expect(results[index] == ids, "\(text)") }
  }
}
