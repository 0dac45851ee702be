import Foundation
import KuraCore
import Testing

@testable import InspectorKit

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

  @Test("lists every code once, with its kind and its exit code")
  func codes() throws {
    let rows = try rows()
    let documented = rows.map { $0[0] }
    #expect(Set(documented).count == documented.count)
    #expect(Set(documented) == Set(StoreError.Code.kinds.keys.map(\.rawValue)))
    for row in rows {
      let code = StoreError.Code(rawValue: row[0])
      #expect(code.kind.rawValue == row[1], "\(row[0])")
      #expect(String(ExitCode(StoreError(code, "")).rawValue) == row[2], "\(row[0])")
    }
  }

  @Test("lists every exit code")
  func exitCodes() throws {
    let text = try RepositoryText.read("docs/errors.md")
    for code in ExitCode.allCases {
      #expect(text.contains("\n| \(code.rawValue) | "), "\(code)")
    }
  }
}
