import Kura
import KuraCore
import Testing

@testable import InspectorKit

/// The text of each format for values that tools get wrong.
///
/// Expected texts come from the manual of the formats (RFC 4180, RFC 8259, CommonMark, SQLite's
/// literals), written by hand.
@Suite("Record formats")
struct RecordWriterTests {
  /// Rows as a format writes them.
  static func text(
    _ format: OutputFormat, _ columns: [String], _ rows: [[StoredValue]],
    options: ValueOptions = ValueOptions(), terminal: Terminal = Terminal()
  ) throws -> String {
    String(
      decoding: try bytes(format, columns, rows, options: options, terminal: terminal),
      as: UTF8.self)
  }

  static func bytes(
    _ format: OutputFormat, _ columns: [String], _ rows: [[StoredValue]],
    options: ValueOptions = ValueOptions(), terminal: Terminal = Terminal()
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = ByteWriter { part throws(StoreError) in bytes += part }
    let records = RecordWriters.make(
      format, writer, options: options, terminal: terminal, model: "t")
    let row = RowBuffer(columns: columns.count)
    try records.begin(columns)
    for values in rows {
      row.reset()
      for (index, value) in values.enumerated() { row.setValue(value, at: index) }
      try records.write(row)
    }
    try records.end()
    try writer.flush()
    return bytes
  }

  private func json(_ value: StoredValue, _ options: ValueOptions = ValueOptions()) throws
    -> String
  {
    let line = try RecordWriterTests.text(.ndjson, ["x"], [[value]], options: options)
    return String(line.dropFirst(#"{"x":"#.count).dropLast(2))
  }

  private func csv(_ value: StoredValue, _ options: ValueOptions = ValueOptions()) throws
    -> String
  {
    let text = try RecordWriterTests.text(.csv, ["x"], [[value]], options: options)
    return String(text.dropFirst(2).dropLast())
  }

  @Test(
    "JSON values lose nothing",
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.bool(false), "false"),
      (.integer(.min), "-9223372036854775808"), (.integer(.max), "9223372036854775807"),
      (.integer(0), "0"), (.double(1), "1.0"), (.double(-0.0), "-0.0"), (.double(0.1), "0.1"),
      (.double(0.1 + 0.2), "0.30000000000000004"), (.double(.leastNonzeroMagnitude), "5e-324"),
      (.double(1e300), "1e+300"), (.double(123_456_789_012_345_680), "1.2345678901234568e+17"),
      (.double(.infinity), #"{"$numberDouble":"Infinity"}"#),
      (.double(-.infinity), #"{"$numberDouble":"-Infinity"}"#),
      (.text(""), #""""#), (.text("a\"b\\c/d"), #""a\"b\\c/d""#),
      (
        .text("\u{0}\u{1}\u{8}\t\n\u{C}\r\u{1F}\u{7F}"),
        #""\u0000\u0001\b\t\n\f\r\u001f"# + "\u{7F}\""
      ),
      (.text("日本 😀 \u{2028}"), "\"日本 😀 \u{2028}\""),
      (.malformedText([0x61, 0xFF, 0x62]), #"{"$base64":true,"encoded":"Yf9i","type":"text"}"#),
      (.data([]), #"{"$base64":true,"encoded":""}"#),
      (.data([0x00, 0xFF, 0x10]), #"{"$base64":true,"encoded":"AP8Q"}"#),
      (.data([0x00]), #"{"$base64":true,"encoded":"AA=="}"#),
      (.data([0x00, 0x01]), #"{"$base64":true,"encoded":"AAE="}"#),
    ] as [(StoredValue, String)])
  func jsonValue(_ value: StoredValue, _ text: String) throws {
    #expect(try json(value) == text)
  }

  @Test("integers may be JSON strings, for readers that round")
  func integersAsText() throws {
    var options = ValueOptions()
    options.integersAsText = true
    #expect(try json(.integer(9_007_199_254_740_993), options) == #""9007199254740993""#)
    #expect(try json(.double(1), options) == "1.0")
  }

  @Test("a column name that comes twice gets a number, and never another column's name")
  func names() throws {
    #expect(
      try RecordWriterTests.text(
        .ndjson, ["n", "n", "n_2", "n"], [[.integer(1), .integer(2), .integer(3), .integer(4)]])
        == #"{"n":1,"n_3":2,"n_2":3,"n_4":4}"# + "\n")
    #expect(
      try RecordWriterTests.text(.ndjson, ["n", "n"], [[.integer(1), .integer(2)]])
        == #"{"n":1,"n_2":2}"# + "\n")
    #expect(try RecordWriterTests.text(.ndjson, ["a\"\n"], [[.null]]) == #"{"a\"\n":null}"# + "\n")
  }

  @Test("JSON is one array, also of nothing")
  func jsonArray() throws {
    #expect(try RecordWriterTests.text(.json, ["x"], []) == "[]\n")
    #expect(
      try RecordWriterTests.text(.json, ["x"], [[.integer(1)], [.null]])
        == "[\n{\"x\":1},\n{\"x\":null}\n]\n")
  }

  @Test(
    "CSV fields follow RFC 4180; null and the empty text differ",
    arguments: [
      (.null, ""), (.text(""), "\"\""), (.text("a"), "a"), (.text(" a "), " a "),
      (.text("a,b"), "\"a,b\""), (.text("a\"b"), "\"a\"\"b\""), (.text("\""), "\"\"\"\""),
      (.text("a\nb"), "\"a\nb\""), (.text("a\rb"), "\"a\rb\""), (.text("007"), "007"),
      (.text("=1+1"), "=1+1"), (.data([0x00, 0xFF, 0x10]), "\\x00ff10"), (.data([]), "\\x"),
      (.double(.infinity), "Infinity"), (.double(-.infinity), "-Infinity"), (.double(2), "2.0"),
      (.double(-0.0), "-0.0"), (.integer(-1), "-1"), (.bool(true), "true"),
      (.text("\u{1B}[31m"), "\u{1B}[31m"), (.text("\u{0}"), "\u{0}"),
    ] as [(StoredValue, String)])
  func csvValue(_ value: StoredValue, _ text: String) throws {
    #expect(try csv(value) == text)
  }

  /// The rules of RFC 4180 and RFC 8259 as plain as they can be written.
  private func expected(_ format: OutputFormat, _ text: String) -> String {
    if format == .csv {
      let isPlain = !text.isEmpty && !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      if isPlain { return text }
      return "\"" + text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }
    let escapes: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\0": "\\u0000",
    ]
    return "\"" + text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "\""
  }

  @Test(
    "texts of every length, with something odd at every place, and around the end of the block",
    arguments: [OutputFormat.csv, .ndjson])
  func textLengths(_ format: OutputFormat) throws {
    var texts = (0...70).map { String(repeating: "a", count: $0) }
    for odd in ["\"", ",", "\n", "\0", "\\", "é"] {
      for (length, place) in [(1, 0), (7, 6), (8, 0), (8, 7), (17, 8), (17, 16), (40, 39)] {
        texts.append(
          String(repeating: "a", count: place) + odd + String(repeating: "b", count: length - place)
        )
      }
    }
    for length in [1_000, 65_535, 65_536, 65_537, 100_000] {
      texts.append(String(repeating: "x", count: length))
      texts.append(String(repeating: "y", count: length) + "\"")
    }
    let rows = texts.map { [StoredValue.integer(.min), .text($0), .double(1 / 3)] }
    var wanted = format == .csv ? "i,t,d\n" : ""
    for text in texts {
      let field = expected(format, text)
      wanted +=
        format == .csv
        ? "-9223372036854775808,\(field),0.3333333333333333\n"
        : "{\"i\":-9223372036854775808,\"t\":\(field),\"d\":0.3333333333333333}\n"
    }
    for capacity in [256, 300, 65_536] {
      var bytes: [UInt8] = []
      let writer = ByteWriter(capacity: capacity) { part throws(StoreError) in bytes += part }
      let records = RecordWriters.make(
        format, writer, options: ValueOptions(), terminal: Terminal(), model: "t")
      let row = RowBuffer(columns: 3)
      try records.begin(["i", "t", "d"])
      for values in rows {
        row.reset()
        for (index, value) in values.enumerated() { row.setValue(value, at: index) }
        try records.write(row)
      }
      try records.end()
      try writer.flush()
      #expect(bytes == Array(wanted.utf8), "\(capacity)")
    }
  }

  @Test("bytes can be hexadecimal, Base64 or left out")
  func blobs() throws {
    var options = ValueOptions()
    options.blobs = .base64
    #expect(try csv(.data([0, 0xFF, 0x10]), options) == "AP8Q")
    options.blobs = .skip
    #expect(try csv(.data([0, 0xFF, 0x10]), options) == "")
    #expect(try json(.data([0]), options) == "null")
    options.blobs = .hex
    #expect(try csv(.data([0, 0xFF, 0x10]), options) == "\\x00ff10")
    #expect(try json(.data([0, 0xFF]), options) == #"{"$hex":"00ff"}"#)
  }

  @Test(
    "malformed text keeps its bytes in CSV, TSV and lists",
    arguments: [OutputFormat.csv, .tsv, .list])
  func malformed(_ format: OutputFormat) throws {
    let bytes = try RecordWriterTests.bytes(format, ["x"], [[.malformedText([0x61, 0xFF, 0x62])]])
    #expect(bytes.suffix(4) == [0x61, 0xFF, 0x62, 0x0A])
  }

  @Test("TSV escapes what would end a field")
  func tsv() throws {
    #expect(
      try RecordWriterTests.text(
        .tsv, ["a", "b"], [[.text("t\tn\nr\rb\\"), .null], [.text(""), .data([1])]])
        == "a\tb\nt\\tn\\nr\\rb\\\\\t\\N\n\t\\\\x01\n")
  }

  @Test("Markdown cells cannot end a cell or begin HTML")
  func markdown() throws {
    #expect(
      try RecordWriterTests.text(.markdown, ["a|b"], [[.text("x|y\nz<b>")], [.null]])
        == "| a\\|b |\n| --- |\n| x\\|y<br>z&lt;b> |\n| NULL |\n")
  }

  @Test("markup shows bytes, numbers and malformed text as text")
  func markup() throws {
    let row: [StoredValue] = [.data([0, 0xAB]), .double(1), .malformedText([0x61, 0xFF])]
    #expect(
      try RecordWriterTests.text(.markdown, ["a", "b", "c"], [row]).hasSuffix(
        "| \\\\x00ab | 1.0 | a\u{FFFD} |\n"))
    #expect(
      try RecordWriterTests.text(.html, ["a", "b", "c"], [row]).contains(
        "<td>\\x00ab</td><td>1.0</td><td>a\u{FFFD}</td>"))
    #expect(
      try RecordWriterTests.text(.line, ["a", "bcd"], [[.data([1]), .null]])
        == "  a = \\x01\nbcd = NULL\n")
  }

  @Test("HTML is escaped")
  func html() throws {
    #expect(
      try RecordWriterTests.text(.html, ["<"], [[.text("<script>&\"")]])
        .contains("<td>&lt;script&gt;&amp;&quot;</td>"))
  }

  @Test(
    "SQL literals read back as the same value",
    arguments: [
      (.null, "NULL"), (.integer(-5), "-5"), (.double(1), "1.0"), (.double(-0.0), "-0.0"),
      (.double(.infinity), "9e999"), (.double(-.infinity), "-9e999"), (.text("it's"), "'it''s'"),
      (.text("a\u{0}b"), "CAST(X'610062' AS TEXT)"), (.data([0, 0xAB]), "X'00ab'"),
      (.malformedText([0xFF]), "CAST(X'ff' AS TEXT)"),
    ] as [(StoredValue, String)])
  func sql(_ value: StoredValue, _ literal: String) throws {
    let text = try RecordWriterTests.text(.sql, ["x"], [[value]])
    // Both cases of hexadecimal digits are SQL.
    #expect(
      text.lowercased() == "insert into \"t\"(\"x\") values(\(literal.lowercased()));\n"
        || text.lowercased() == "insert into t(x) values(\(literal.lowercased()));\n", "\(text)")
  }

  @Test("a table keeps its columns straight and shows null")
  func table() throws {
    #expect(
      try RecordWriterTests.text(
        .table, ["name", "n"], [[.text("日本"), .integer(5)], [.null, .integer(123)]])
        == "name │ n  \n─────┼────\n日本 │   5\nNULL │ 123\n"
        .replacing("n  \n", with: "n\n"))
  }

  @Test("control characters are escaped for a terminal only")
  func controls() throws {
    let rows: [[StoredValue]] = [[.text("a\u{1B}[31m\u{202E}\t")]]
    var terminal = Terminal()
    terminal.isOutputTerminal = true
    let seen = try RecordWriterTests.text(.table, ["x"], rows, terminal: terminal)
    #expect(seen.contains(#"a\x1b[31m\u{202e}\t"#))
    let piped = try RecordWriterTests.text(.table, ["x"], rows)
    #expect(piped.contains("a\u{1B}[31m\u{202E}\t"))
  }

  @Test("a table wider than the terminal is cut to fit it")
  func narrowTerminal() throws {
    var terminal = Terminal()
    terminal.isOutputTerminal = true
    terminal.columns = 40
    let long = String(repeating: "日本語", count: 30)
    let text = try RecordWriterTests.text(
      .table, ["a", "b", "c"], [[.text(long), .text("short"), .text(long)]], terminal: terminal)
    for line in text.split(separator: "\n") { #expect(TerminalWidth.of(String(line)) <= 40) }
    #expect(text.contains("short"))
  }

  @Test("a count is a number, and none is nothing")
  func counts() throws {
    #expect(try RecordWriterTests.text(.count, ["x"], [[.null], [.null]]) == "2\n")
    #expect(try RecordWriterTests.text(.none, ["x"], [[.null]]) == "")
  }

  @Test("a field larger than the writer's block arrives whole", arguments: OutputFormat.allCases)
  func largeField(_ format: OutputFormat) throws {
    let body = String(repeating: "abcdefghij", count: 30_000)
    let text = try RecordWriterTests.text(format, ["x"], [[.text(body)], [.text("z")]])
    guard format != .count, format != .none else { return }
    #expect(text.contains(body))
    #expect(text.contains("z"))
  }
}
