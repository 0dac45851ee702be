import Foundation
import KuraCore
import Testing

@Suite("docs/errors.md")
struct ErrorTableTests {
  /// The cells of the rows of the table of codes.
  private func rows() throws -> [[String]] {
    let text = try RepositoryText.read("docs/errors.md")
    let table = try #require(text.components(separatedBy: "## Codes").last)
    return table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
      }
    }
  }

  @Test("lists every code once, with its kind")
  func codes() throws {
    let rows = try rows()
    let documented = rows.map { $0[0] }
    #expect(Set(documented).count == documented.count)
    #expect(Set(documented) == Set(StoreError.Code.kinds.keys.map(\.rawValue)))
    for row in rows {
      #expect(StoreError.Code(rawValue: row[0]).kind.rawValue == row[1], "\(row[0])")
    }
  }
}
