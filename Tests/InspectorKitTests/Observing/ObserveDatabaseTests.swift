import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What other programs do to SQLite files comes as events, and the files stay untouched.
@Suite("Observing SQLite files")
struct ObserveDatabaseTests {
  /// Runs the stock shell as the other program.
  private static func sqlite(_ path: String, _ sql: String) throws {
    let run = try ToolRun.program("sqlite3", ["-bail", path, sql])
    #expect(run.exitCode == 0, "\(run.errorText)")
  }

  private static let start = """
    CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, price REAL);
    INSERT INTO book VALUES(1, 'Kokoro', 9.5), (2, 'Botchan', 8);
    """

  @Test(
    "insert, update and delete of a commit come in the order of the rows",
    arguments: ["wal", "delete"])
  func changes(_ journal: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, "PRAGMA journal_mode = \(journal);" + Self.start)
    let observer = try Observer(path)
    try Self.sqlite(
      path,
      "BEGIN; INSERT INTO book VALUES(3, 'Sanshiro', NULL); UPDATE book SET price = 7 WHERE id = 1;"
        + "DELETE FROM book WHERE id = 2; COMMIT")
    #expect(
      observer.lines(3) == [
        #"{"event":"update","model":"book","key":1,"old":{"id":1,"title":"Kokoro","price":9.5},"#
          + #""new":{"id":1,"title":"Kokoro","price":7.0},"commit":1}"#,
        #"{"event":"delete","model":"book","key":2,"old":{"id":2,"title":"Botchan","price":8.0},"commit":1}"#,
        #"{"event":"insert","model":"book","key":3,"new":{"id":3,"title":"Sanshiro","price":null},"commit":1}"#,
      ])
    #expect(observer.end() == 130)
  }

  @Test("records that are there come first when asked for, and text lines show what changed")
  func initial() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start)
    let observer = try Observer(path, "--initial", "-f", "line", "--until", "1")
    try Self.sqlite(path, "UPDATE book SET price = 7 WHERE id = 1")
    #expect(
      observer.lines(9) == [
        #"= book 1: {"id":1,"title":"Kokoro","price":9.5}  (commit 0)"#,
        #"= book 2: {"id":2,"title":"Botchan","price":8.0}  (commit 0)"#,
        #"~ book 1: {"price":9.5} → {"price":7.0}  (commit 1)"#,
      ])
    #expect(observer.wait() == 0)
  }

  @Test("a condition chooses records that fulfil it before or after")
  func condition() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start)
    let observer = try Observer(
      path, "book", "--where", "price < 5", "--columns", "changed", "--until", "3")
    try Self.sqlite(
      path,
      "UPDATE book SET price = 6; INSERT INTO book VALUES(3, 'Mon', 1), (4, 'Sorekara', 50)")
    #expect(
      observer.lines(1) == [
        #"{"event":"insert","model":"book","key":3,"new":{"id":3,"title":"Mon","price":1.0},"commit":1}"#
      ])
    try Self.sqlite(path, "UPDATE book SET price = 4 WHERE id = 1")
    #expect(
      observer.lines(1) == [
        #"{"event":"update","model":"book","key":1,"old":{"price":6.0},"new":{"price":4.0},"commit":2}"#
      ])
    try Self.sqlite(path, "UPDATE book SET price = 40 WHERE id = 3")
    #expect(
      observer.lines(9) == [
        #"{"event":"update","model":"book","key":3,"old":{"price":1.0},"new":{"price":40.0},"commit":3}"#
      ])
    #expect(observer.wait() == 0)
  }

  @Test("10,000 rows of one commit all come", arguments: ["wal", "delete"])
  func manyRows(_ journal: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, "PRAGMA journal_mode = \(journal);" + Self.start)
    let observer = try Observer(path, "--until", "10000")
    try Self.sqlite(
      path,
      "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 10009) "
        + "INSERT INTO book SELECT i, 'b' || i, i FROM n")
    let lines = observer.lines(10_001)
    #expect(
      lines
        == (10...10_009).map {
          #"{"event":"insert","model":"book","key":\#($0),"new":{"id":\#($0),"title":"b\#($0)","#
            + #""price":\#($0).0},"commit":1}"#
        })
    #expect(observer.wait() == 0)
  }

  @Test("the folder has what its writer made and nothing else", arguments: ["wal", "delete"])
  func untouched(_ journal: String) throws {
    let folder = try TemporaryFolder()
    let twin = try TemporaryFolder()
    for place in [folder, twin] {
      try Self.sqlite(place.file("shop.db"), "PRAGMA journal_mode = \(journal);" + Self.start)
    }
    let before = try folder.state()
    let observer = try Observer(folder.file("shop.db"), "--initial")
    #expect(observer.lines(2).count == 2)
    #expect(try folder.state() == before)
    let change = "UPDATE book SET price = 7 WHERE id = 1"
    try Self.sqlite(twin.file("shop.db"), change)
    try Self.sqlite(folder.file("shop.db"), change)
    let after = try folder.state()
    #expect(observer.lines(1).count == 1)
    #expect(try folder.state() == after)
    #expect(after["shop.db"]?.bytes == (try twin.state()["shop.db"]?.bytes))
    #expect(folder.names == twin.names)
    #expect(observer.end(SIGTERM) == 130)
    #expect(try folder.state() == after)
  }

  @Test("changes of the schema are events, and columns that are new appear")
  func schema() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start)
    let observer = try Observer(path)
    try Self.sqlite(path, "ALTER TABLE book ADD COLUMN stock INT DEFAULT 3")
    #expect(
      observer.lines(1) == [
        #"{"event":"schema","model":"book","old":"CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, price REAL)","#
          + #""new":"CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, price REAL, stock INT DEFAULT 3)","commit":1}"#
      ])
    try Self.sqlite(path, "DELETE FROM book WHERE id = 2")
    #expect(
      observer.lines(1) == [
        #"{"event":"delete","model":"book","key":2,"old":{"id":2,"title":"Botchan","price":8.0,"stock":3},"commit":2}"#
      ])
    try Self.sqlite(path, "DROP TABLE book")
    let gone = observer.lines(2)
    #expect(gone.first?.contains(#""event":"schema","model":"book","old":"CREATE"#) == true)
    #expect(gone.last?.contains(#""event":"delete","model":"book","key":1"#) == true)
    #expect(observer.end() == 130)
  }

  @Test("keys of several columns, of text and of none name the records")
  func keys() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("keys.db")
    try Self.sqlite(
      path,
      """
      CREATE TABLE a(x TEXT, y INT, z, PRIMARY KEY(x, y)) WITHOUT ROWID;
      CREATE TABLE b(k TEXT PRIMARY KEY, z); CREATE TABLE c(z);
      INSERT INTO a VALUES('p', 1, 1), ('q', 2, 2); INSERT INTO b VALUES('k', 1);
      INSERT INTO c VALUES(7), (8);
      """)
    let observer = try Observer(path, "--columns", "changed")
    try Self.sqlite(
      path,
      "BEGIN; UPDATE a SET z = 3 WHERE x = 'q'; INSERT OR REPLACE INTO b VALUES('k', 2); "
        + "UPDATE c SET z = 9 WHERE z = 8; COMMIT")
    #expect(
      observer.lines(3) == [
        #"{"event":"update","model":"a","key":["q",2],"old":{"z":2},"new":{"z":3},"commit":1}"#,
        #"{"event":"update","model":"b","key":"k","old":{"z":1},"new":{"z":2},"commit":1}"#,
        #"{"event":"update","model":"c","key":2,"old":{"z":8},"new":{"z":9},"commit":1}"#,
      ])
    #expect(observer.end() == 130)
  }

  @Test("rows of large tables without row numbers are found by the pages that changed")
  func withoutRowID() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("keys.db")
    try Self.sqlite(
      path,
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL;
      CREATE TABLE t(v, k TEXT, n INT, r REAL, PRIMARY KEY(k, n DESC)) WITHOUT ROWID;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO t SELECT i, 'k' || (i % 100), -i, 1 FROM n;
      """)
    let observer = try Observer(path, "--columns", "changed")
    let long = String(repeating: "long", count: 400)
    try Self.sqlite(
      path,
      "BEGIN; DELETE FROM t WHERE n = -1500; UPDATE t SET v = 'x' WHERE n = -2999;"
        + "INSERT INTO t VALUES(NULL, '\(long)', 70000, 0.5); COMMIT")
    let lines = Set(observer.lines(3))
    #expect(
      lines == [
        #"{"event":"delete","model":"t","key":["k0",-1500],"old":{"v":1500,"k":"k0","n":-1500,"r":1.0},"commit":1}"#,
        #"{"event":"update","model":"t","key":["k99",-2999],"old":{"v":2999},"new":{"v":"x"},"commit":1}"#,
        #"{"event":"insert","model":"t","key":["\#(long)",70000],"new":{"v":null,"k":"\#(long)","n":70000,"r":0.5},"commit":1}"#,
      ])
    try Self.sqlite(path, "UPDATE t SET v = 'y' WHERE n = 70000")
    #expect(
      observer.lines(1).first?.contains(#""old":{"v":null},"new":{"v":"y"},"commit":2"#) == true)
    #expect(observer.end() == 130)
  }

  @Test("two writers at once lose and double nothing", arguments: ["wal", "delete"])
  func twoWriters(_ journal: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, "PRAGMA journal_mode = \(journal);" + Self.start)
    let observer = try Observer(path, "--until", "400")
    let writers = try [1000, 2000].map { first in
      let sql = (0..<200).map { "INSERT INTO book VALUES(\(first + $0), 't', 1);" }.joined()
      let input = try ToolRun.scratch()
      defer { OpenFiles.close(input) }
      return try Child.start(
        "sqlite3", ["-bail", "-cmd", ".timeout 60000", path, sql], files: [input, 2, 2])
    }
    let lines = observer.lines(401)
    for writer in writers { #expect(writer.wait() == 0) }
    #expect(lines.count == 400)
    #expect(lines.allSatisfy { $0.contains(#""event":"insert""#) })
    #expect(Set(lines.compactMap { $0.split(separator: ",").dropFirst(2).first }).count == 400)
    #expect(observer.wait() == 0)
  }

  @Test("a change in the middle of a long value is seen, in rows whose own page stays the same")
  func longValues() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("long.db")
    try Self.sqlite(
      path,
      "CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB); INSERT INTO t VALUES(1, zeroblob(50000))")
    let observer = try Observer(path, "--blobs", "skip", "--until", "1")
    try Self.sqlite(
      path,
      "UPDATE t SET b = CAST(zeroblob(30000) || x'01' || zeroblob(19999) AS BLOB)")
    #expect(
      observer.lines(2) == [
        #"{"event":"update","model":"t","key":1,"old":{"id":1,"b":null},"new":{"id":1,"b":null},"commit":1}"#
      ])
    #expect(observer.wait() == 0)
  }

  @Test("a file that is removed or replaced ends with an event and 3")
  func replaced() throws {
    let folder = try TemporaryFolder()
    for isRemoved in [true, false] {
      let path = folder.file("\(isRemoved).db")
      try Self.sqlite(path, Self.start)
      let observer = try Observer(path)
      if !isRemoved {
        try Self.sqlite(folder.file("other.db"), Self.start)
        #expect(rename(folder.file("other.db"), path) == 0)
      } else {
        #expect(unlink(path) == 0)
      }
      let lines = observer.lines(9)
      #expect(lines.count == 1)
      #expect(lines.first?.contains(#""event":"end","reason":"store.replaced""#) == true)
      #expect(observer.wait() == 3)
    }
  }

  @Test("a file that is overwritten or emptied ends with an event and no trap")
  func damaged() throws {
    let folder = try TemporaryFolder()
    for (isEmptied, reason, exit) in [
      (false, "store.damaged", 5), (true, "store.replaced", 3),
    ] as [(Bool, String, Int32)] {
      let path = folder.file("\(reason).db")
      try Self.sqlite(path, Self.start)
      let observer = try Observer(path)
      let file = open(path, O_WRONLY)
      if isEmptied {
        #expect(ftruncate(file, 0) == 0)
      } else {
        #expect(pwrite(file, [UInt8](repeating: 0xAA, count: 4096), 4096, 0) == 4096)
      }
      OpenFiles.close(file)
      let lines = observer.lines(9)
      #expect(lines.count == 1)
      #expect(
        lines.first?.contains(#""event":"end","reason":"\#(reason)""#) == true, "\(lines)")
      #expect(observer.wait() == exit)
    }
  }

  @Test("a reader that goes away ends the tool, also when nothing happens")
  func readerGone() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start)
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { OpenFiles.close(input, error) }
    let ends = try OpenFiles.pipe()
    let tool = try Child.start(
      ToolRun.executablePath, ["observe", path, "--initial"], files: [input, ends.write, error])
    OpenFiles.close(ends.write)
    #expect(OpenFiles.byte(from: ends.read) != nil)
    OpenFiles.close(ends.read)
    #expect(tool.wait() == 141)
  }

  @Test("what cannot be observed is refused with a reason")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start + "CREATE VIEW cheap AS SELECT * FROM book WHERE price < 9;")
    for (arguments, exit, text) in [
      (["cheap"], 2, "it is a view"), (["bok"], 2, "did you mean \"book\"?"),
      (["book", "--where", "prize < 5"], 2, "price"), (["--until", "soon"], 2, "10s"),
      (["--format", "csv"], 2, "ndjson"),
    ] {
      let run = try ToolRun.program(ToolRun.executablePath, ["observe", path] + arguments)
      #expect(run.exitCode == Int32(exit), "\(arguments)")
      #expect(run.errorText.contains(text), "\(run.errorText)")
    }
  }

  @Test("time ends it with 0, and private copies are removed")
  func time() throws {
    let folder = try TemporaryFolder()
    let scratch = try TemporaryFolder()
    let path = folder.file("shop.db")
    try Self.sqlite(path, Self.start)
    let observer = try Observer(path, "--until", "100ms", environment: ["TMPDIR": scratch.path])
    #expect(observer.lines(1).isEmpty)
    #expect(observer.wait() == 0)
    #expect(scratch.names.isEmpty)
  }
}
