import Testing

@testable import InspectorKit

/// `get`, `query` and `dump` on a file that SQLite's own shell made.
///
/// Expected records are those that the fixture's script inserts.
@Suite("Record commands")
struct RecordCommandTests {
  private let folder: TemporaryFolder
  private let shop: String
  private let structs: String

  init() throws {
    folder = try TemporaryFolder()
    shop = try folder.add("bookshop.sqlite")
    structs = try folder.add("structs.sqlite")
  }

  private func run(_ words: String...) throws -> ToolRun {
    try ToolRun.program(ToolRun.executablePath, words)
  }

  // MARK: get

  @Test("a record is found by its key, of one column or several")
  func get() throws {
    #expect(
      try run("get", shop, "2", "--model", "book", "--columns", "id,title").text
        == #"{"id":2,"title":"こころ"}"# + "\n")
    // The key is (b, a), in this order.
    #expect(
      try run("get", structs, "1", "x", "--model", "wr").text == #"{"a":"x","b":1,"c":2}"# + "\n")
    #expect(
      try run("get", structs, "2", "--model", "st").text == #"{"i":2,"t":"u","a":1.5}"# + "\n")
  }

  @Test("an absent key is a negative answer, without output")
  func getAbsent() throws {
    for key in ["99", "-1"] {
      let run = try run("get", shop, key, "--model", "book")
      #expect(run.exitCode == 1, "\(key)")
      #expect(run.output.isEmpty)
    }
  }

  @Test("a key of another number of values, and a missing model, are mistakes")
  func getMistakes() throws {
    for words in [["1", "--model", "wr"], ["1", "2", "--model", "book"], ["1"]] {
      let run = try ToolRun.program(ToolRun.executablePath, ["get", structs] + words)
      #expect(run.exitCode == 2, "\(words)")
      #expect(run.output.isEmpty)
    }
    let wrong = try run("get", shop, "1", "--model", "bok")
    #expect(wrong.exitCode == 2)
    #expect(wrong.errorText.contains("did you mean \"book\"?"))
  }

  @Test("--raw writes the bytes of one column and nothing else")
  func raw() throws {
    let bytes = try run("get", shop, "3", "--model", "book", "--columns", "cover", "--raw")
    let stock = try ToolRun.program("sqlite3", [shop, "select hex(cover) from book where id = 3"])
    #expect(!bytes.output.isEmpty)
    #expect(StoredHex.upper(bytes.output) + "\n" == stock.text)
    #expect(try run("get", shop, "3", "--model", "book", "--raw").exitCode == 2)
  }

  // MARK: query

  @Test("the query language selects, sorts and limits")
  func query() throws {
    #expect(
      try run(
        "query", shop, "book WHERE price > 100 SORT(price DESC) LIMIT(1)", "--format", "ndjson",
        "--where", "stock >= 10"
      ).text.contains("\"title\":\"吾輩は猫である\""))
    #expect(try run("query", shop, "author", "--count").text == "\(try stockCount("author"))\n")
    #expect(
      try run("query", shop, "book", "--format", "count").text == "\(try stockCount("book"))\n")
  }

  @Test(
    "groups, numbers, arithmetic and patterns give what SQL gives",
    arguments: [
      (
        "book SELECT(author, @count, @sum.stock) GROUP(author) HAVING(@count > 1) SORT(author)",
        "select author, count(*), sum(stock) from book group by author having count(*) > 1 "
          + "order by author"
      ),
      ("book SELECT(@sum.stock, @max.price)", "select sum(stock), max(price) from book"),
      (
        "book WHERE title CONTAINS[cd] 'HOLGERSSÖNS' SELECT(id)",
        "select id from book where title like '%holgerssons%'"
      ),
      (
        "book WHERE price * stock > 500 AND NOT stock IN {12} SELECT(id) SORT(id DESC)",
        "select id from book where price * stock > 500 and stock <> 12 order by id desc"
      ),
      (
        "book WHERE title MATCHES '[A-Z][a-z]+' OR id == 1 OR id == 2 SELECT(id) SORT(id)",
        "select id from book where id in (1, 2, 5) order by id"
      ),
      (
        "book DISTINCT(author) SORT(author DESC) LIMIT(2) SELECT(author)",
        "select distinct author from book order by author desc limit 2"
      ),
    ])
  func queryForms(query: String, sql: String) throws {
    let found = try run("query", shop, query, "--format", "csv")
    #expect(found.exitCode == 0, "\(found.errorText)")
    let stock = try ToolRun.program("sqlite3", ["-separator", ",", shop, sql])
    #expect(found.lines.dropFirst() == stock.lines[...], "\(query)")
    #expect(!stock.lines.isEmpty)
  }

  private func stockCount(_ table: String) throws -> Int {
    let run = try ToolRun.program("sqlite3", [shop, "select count(*) from \(table)"])
    return try #require(run.lines.first.flatMap { Int($0) })
  }

  @Test("--exists answers by its exit code only")
  func exists() throws {
    let yes = try run("query", shop, "book WHERE id = 1", "--exists")
    #expect(yes.exitCode == 0 && yes.output.isEmpty)
    let no = try run("query", shop, "book WHERE id = 99", "--exists")
    #expect(no.exitCode == 1 && no.output.isEmpty && no.error.isEmpty)
    #expect(try run("query", shop, "select 1 where 0", "--exists").exitCode == 1)
  }

  @Test("parameters are text, or literals of any type")
  func parameters() throws {
    #expect(
      try run(
        "query", shop, "--sql", "select typeof(:a) as a, typeof(:b) as b, typeof(:c) as c, :b as v",
        "-p", "a=5", "-p", "b:=5", "-p", "c:=X'00ff'", "--format", "ndjson"
      ).text == #"{"a":"text","b":"integer","c":"blob","v":5}"# + "\n")
    #expect(
      try run("query", shop, "book WHERE id = :n", "-p", "n:=2", "--count").text == "1\n")
    for bad in ["x", "=1", "n:=", "n:=zz top"] {
      #expect(try run("query", shop, "select 1", "-p", bad).exitCode == 2, "\(bad)")
    }
  }

  @Test("SQL that would write is refused without --write and changes nothing")
  func refusesWrites() throws {
    let before = try folder.state()
    for sql in [
      "delete from sale", "insert into author(name) values ('x')", "drop table sale",
      "with x as (select 1) delete from sale", "pragma user_version = 7", "vacuum",
      "attach 'other.db' as o", "create table z(x)",
    ] {
      let run = try run("query", shop, "--sql", sql)
      #expect([2, 6].contains(run.exitCode), "\(sql): \(run.exitCode) \(run.errorText)")
      #expect(run.output.isEmpty)
      #expect(run.errorText.contains("hint: "))
    }
    #expect(try folder.state() == before)
  }

  @Test("--write changes data and says how much")
  func writes() throws {
    let run = try run(
      "query", shop, "--sql", "update book set stock = stock + 1 where id <= 2", "--write")
    #expect(run.exitCode == 0, "\(run.errorText)")
    #expect(run.errorText.contains("2 "))
    #expect(
      try ToolRun.program(
        "sqlite3", [shop, "select stock from book where id <= 2; pragma integrity_check"]
      )
      .text == "11\n28\nok\n")
  }

  @Test("a mistake in a query is marked at its place")
  func queryMistake() throws {
    for text in ["book WHERE", "book WHERE price >", "book WHERE pricee > 1", "book SORT(", "bok"] {
      let run = try run("query", shop, text)
      #expect(run.exitCode == 2, "\(text)")
      #expect(run.output.isEmpty)
    }
    #expect(
      try run("query", shop, "book WHERE pricee > 1").errorText.contains("did you mean price?"))
    #expect(try run("query", shop, "select * from nowhere").exitCode == 2)
    #expect(try run("query", shop, "selct 1").exitCode == 2)
  }

  @Test("--explain describes instead of reading")
  func explain() throws {
    let run = try run("query", shop, "book WHERE id = 1", "--explain")
    #expect(run.exitCode == 0)
    #expect(run.text.contains("SEARCH"))
  }

  @Test("a table called like an SQL word is a table")
  func sqlWords() throws {
    let names = try folder.add("names.sqlite")
    let run = try run("query", names, "select", "--count")
    #expect(run.exitCode == 0)
    let count = try ToolRun.program("sqlite3", [names, "select count(*) from \"select\""])
    #expect(run.text == count.text)
  }

  // MARK: dump

  @Test("records of several tables carry their table's name")
  func dumpAll() throws {
    let run = try run("dump", structs, "st", "auto", "--format", "ndjson")
    #expect(
      run.text == """
        {"model":"st","record":{"i":1,"t":"t","a":{"$base64":true,"encoded":"AA=="}}}
        {"model":"st","record":{"i":2,"t":"u","a":1.5}}
        {"model":"auto","record":{"id":1,"v":1}}
        {"model":"auto","record":{"id":2,"v":2}}

        """)
  }

  @Test("columns, conditions, order and limits narrow a dump")
  func dumpNarrowed() throws {
    #expect(
      try run("dump", structs, "wr", "--columns", "b,a", "--format", "csv").text
        == "b,a\n0,y\n1,x\n")
    #expect(
      try run("dump", structs, "auto", "--where", "id > 1", "--format", "csv").text == "id,v\n2,2\n"
    )
    #expect(
      try run("dump", structs, "auto", "--limit", "1", "--format", "csv").text == "id,v\n1,1\n")
    #expect(try run("dump", structs, "auto", "--columns", "idd", "--format", "csv").exitCode == 2)
    #expect(try run("dump", structs, "nothing").exitCode == 2)
    #expect(try run("dump", structs, "--format", "mdb").exitCode == 2)
  }

  @Test("a dump of declarations or of data alone")
  func dumpParts() throws {
    let declarations = try run("dump", shop, "--schema-only")
    #expect(declarations.text.contains("CREATE TABLE author"))
    #expect(!declarations.text.contains("INSERT INTO author"))
    let data = try run("dump", shop, "author", "--data-only")
    #expect(!data.text.contains("CREATE TABLE"))
    #expect(data.lines.count { $0.hasPrefix("INSERT INTO") } == (try stockCount("author")))
    #expect(try run("dump", shop, "--schema-only", "--data-only").exitCode == 2)
  }

  @Test("a damaged table gives what is readable and 5")
  func damaged() throws {
    let path = try folder.add("corrupt-page.sqlite")
    let run = try run("dump", path, "--format", "ndjson")
    #expect(run.exitCode == 5)
    #expect(!run.output.isEmpty && run.output.last == 0x0A)
    #expect(run.errorText.contains("damaged"))
  }

  // MARK: check

  @Test(
    "check finds damage by 1 and passes sound files",
    arguments: [
      ("bookshop.sqlite", "--deep", 0), ("free.sqlite", "--quick", 0),
      ("corrupt-page.sqlite", "--quick", 1), ("corrupt-index.sqlite", "--quick", 0),
      ("corrupt-index.sqlite", "--deep", 1), ("truncated.sqlite", "--quick", 1),
      ("values.sqlite", "--quick", 0), ("notadb.sqlite", "--quick", 3),
    ])
  func check(_ fixture: String, _ option: String, _ exitCode: Int32) throws {
    let path = try folder.add(fixture, as: "check-" + fixture)
    let run = try run("check", path, option)
    #expect(run.exitCode == exitCode, "\(run.text)\(run.errorText)")
    if exitCode == 1 { #expect(!run.output.isEmpty) }
    if exitCode == 0 { #expect(run.text == "ok\n") }
  }

  // MARK: files that are no databases

  @Test(
    "what cannot be opened says what it is",
    arguments: [
      ("notadb.sqlite", "text"), ("encrypted.sqlite", "encrypted"), ("realm.realm", "Realm"),
      ("lmdb-32bit.mdb", "32-bit"), ("lmdb-big-endian.mdb", "big-endian"),
    ])
  func foreignFiles(_ fixture: String, _ word: String) throws {
    let path = try folder.add(fixture)
    let before = try folder.state()
    for command in [["info"], ["schema"], ["dump"], ["check"], ["query", "t"]] {
      var words = command
      words.insert(path, at: 1)
      let run = try ToolRun.program(ToolRun.executablePath, words)
      #expect(run.exitCode == 3)
      #expect(run.output.isEmpty)
      #expect(run.errorText.contains(word), "\(run.errorText)")
    }
    #expect(try folder.state() == before)
  }

  @Test("a locked file is busy, by name of the process, after the time to wait")
  func busy() throws {
    let path = folder.file("locked.sqlite")
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute('create table t(x)')
      db.execute('begin exclusive')
      print('ready', flush=True)
      sys.stdin.read()
      """
    let (input, output) = (try OpenFiles.pipe(), try OpenFiles.pipe())
    let writer = try Child.start(
      "python3", ["-c", script, path], files: [input.read, output.write, 2])
    #expect(OpenFiles.byte(from: output.read) != nil)
    for wait in [[], ["--wait", "50ms"]] {
      let run = try ToolRun.program(
        ToolRun.executablePath, ["query", path, "select x from t"] + wait)
      #expect(run.exitCode == 4)
      #expect(run.errorText.contains(String(writer.process)), "\(run.errorText)")
    }
    OpenFiles.close(input.read, input.write, output.read, output.write)
    #expect(writer.wait() == 0)
  }

  // MARK: output files

  @Test("a result goes into a new file, and a failure makes none")
  func outputFile() throws {
    let target = folder.file("out.csv")
    let done = try run("query", shop, "author", "--columns", "id", "-f", "csv", "-o", target)
    #expect(done.exitCode == 2)
    #expect(!folder.names.contains("out.csv"))
    #expect(try run("query", shop, "bok", "-o", target).exitCode == 2)
    #expect(!folder.names.contains("out.csv"))
    let good = try run("query", shop, "select 1 as x", "-f", "csv", "-o", target)
    #expect(good.exitCode == 0 && good.output.isEmpty)
    #expect(try Fixture.bytes(at: target) == Array("x\n1\n".utf8))
    #expect(try run("query", shop, "select 2 as x", "-f", "csv", "-o", target).exitCode == 6)
    #expect(try Fixture.bytes(at: target) == Array("x\n1\n".utf8))
    #expect(
      try run("query", shop, "select 2 as x", "-f", "csv", "-o", target, "--yes").exitCode == 0)
    #expect(try Fixture.bytes(at: target) == Array("x\n2\n".utf8))
    let empty = folder.file("empty.ndjson")
    #expect(try run("query", shop, "select 1 where 0", "-f", "ndjson", "-o", empty).exitCode == 0)
    #expect(try Fixture.bytes(at: empty).isEmpty)
  }
}
