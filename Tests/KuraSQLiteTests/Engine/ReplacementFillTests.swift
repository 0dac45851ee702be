import KuraCore
import Testing

@testable import KuraSQLite

/// Replacements that SQLite fills by functions of ours.
@Suite("Filling a replacement inside SQLite")
struct ReplacementFillTests {
  private static let item = ModelDescription(
    "Item", primaryKey: ["id"],
    properties: [PropertyDescription("id", .integer), PropertyDescription("name", .text)])
  private static let layout = ModelLayout(item)

  private final class Doubling: RecordTransform {
    let copied: [Int?] = [0, nil]

    func fill(_ new: RowBuffer, from old: RowBuffer) throws(StoreError) {
      guard case .text(let name) = old.value(at: 1) else { return }
      new.setValue(.text(name + name), at: 1)
    }
  }

  /// SQLite does not forget functions while a statement runs.
  @Test("functions that outlive a filling do nothing, and the next filling replaces them")
  func functionsLeft() throws {
    let shop = try Workshop()
    let engine = try shop.make(Self.item)
    try engine.write { try $0.put(Self.layout, [1, "ab"]) }
    try engine.write { try $0.put(Self.layout, [2, "cd"]) }
    let other = ModelDescription(
      "kura_new_Item", primaryKey: ["id"], properties: Self.item.properties)
    try engine.write { transaction throws in
      try transaction.apply(.createReplacement(other))
      let cursor = try transaction.cursor(for: BoundQuery(layout: Self.layout))
      let row = RowBuffer(columns: 2)
      #expect(try cursor.next(into: row))
      #expect(try transaction.fill(ModelLayout(other), from: Self.layout, by: Doubling()))
      for sql in ["SELECT kura_made(1)", "SELECT kura_take(1, 'x')"] {
        #expect(throws: StoreError.self) { _ = try transaction.rows(sql: sql) }
      }
      cursor.close()
      try transaction.execute(sql: "DELETE FROM kura_new_Item", parameters: [:])
      #expect(try transaction.fill(ModelLayout(other), from: Self.layout, by: Doubling()))
      let error = expectError(.invalidSQL) {
        _ = try transaction.rows(sql: "SELECT kura_made(1)")
      }
      #expect(error?.description.contains("no such function") == true)
    }
    #expect(try shop.stock("SELECT * FROM kura_new_Item ORDER BY id") == "1|abab\n2|cdcd")
  }
}
