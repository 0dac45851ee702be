import Foundation
import Testing

@testable import KuraCore

/// The manual's page on the query language, held to the code.
@Suite struct QueryLanguageDocumentTests {
  private func document() throws -> String {
    try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/query-language.md"), encoding: .utf8)
  }

  /// The fenced blocks without a language.
  private func blocks() throws -> [String] {
    var blocks: [String] = []
    for (index, part) in try document().components(separatedBy: "\n```").enumerated()
    where index % 2 == 1 && part.hasPrefix("\n") {
      blocks.append(String(part.dropFirst()))
    }
    return blocks
  }

  @Test("the first example is a query")
  func firstExample() throws {
    let query = try Query(parsing: #require(blocks().first))
    #expect(query.model == "CoopResult" && query.limit == 10)
    #expect(query.order == [SortTerm("playedAt", isDescending: true)])
  }

  @Test("the examples are queries, and those of columns and groups have them")
  func examples() throws {
    let parts = try document().components(separatedBy: "\n```text\n").dropFirst()
    let lines = parts.flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n") }
    let queries = try lines.map { try Query(parsing: String($0)) }
    #expect(queries.count == 6)
    #expect(queries.filter { $0.columns != nil }.count == 3)
  }

  @Test("every pair of the table of options is equal or not as it says")
  func options() throws {
    var checked = 0
    for line in try document().split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let letter = cells[0].dropFirst().first, cells[0].count == 3,
        let option = TextComparison.letters.first(where: { $0.letter == letter })?.option
      else { continue }
      for (cell, expected) in [(cells[2], true), (cells[3], false)] {
        for pair in cell.components(separatedBy: ", ") {
          let texts = pair.components(separatedBy: "`").enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
          guard texts.count == 2 else { continue }
          #expect((option.folded(texts[0]) == option.folded(texts[1])) == expected, "\(pair)")
          checked += 1
        }
      }
    }
    #expect(checked == 19)
  }

  @Test("the error shown is the error given")
  func shownError() throws {
    let layout = ModelLayout(
      name: "Dog", columns: [.init(name: "age", type: .integer)], keyColumns: [], rowIDName: nil,
      isKuraModel: true)
    let error = #expect(throws: StoreError.self) {
      try Query(parsing: "Dog WHERE aeg > 3").bound(to: layout)
    }
    #expect(try blocks().last == error?.description)
  }

  @Test("every literal of the table has the type of its row")
  func literals() throws {
    let names = [
      "integer": "integer", "double": "double", "text": "text", "truth": "bool",
      "no value": "null", "data": "data", "date": "date", "UUID": "uuid",
      "object identifier": "objectID", "decimal": "decimal",
    ]
    var checked = 0
    for line in try document().split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 2, let type = names[cells[0]] else { continue }
      for literal in cells[1].split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where literal.offset % 2 == 1 {
        #expect(StoredValue(queryLiteral: String(literal.element))?.typeName == type)
        checked += 1
      }
    }
    #expect(checked == 17)
  }

  @Test("every reserved word of the page is reserved, and the others are names")
  func reservedWords() throws {
    for word in QueryParser.reservedWords {
      #expect(try document().contains("`\(word)`"))
      #expect(throws: StoreError.self) { try Condition(parsing: "\(word) == 1 == 1") }
    }
    for word in ["SORT", "LIMIT", "IN", "LIKE", "WHERE", "ANY", "DATE", "X"] {
      #expect(
        try Condition(parsing: "\(word) == 1")
          == .comparison(.property(PropertyPath([word])), .equal, .value(1)))
    }
  }
}
