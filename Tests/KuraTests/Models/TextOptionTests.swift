import Kura
import Testing

/// Typed conditions on text with what they overlook, on every backend.
@Suite struct TextOptionTests {
  private static let names = ["Café", "cafe", "ｶﾞﾑ", "がむ", "GAMU", "キヤノン"]

  @Test(
    "options of typed conditions mean what the letters in brackets mean",
    arguments: ModelTests.formats)
  func options(format: StoreFormat) throws {
    let store = try Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Town.self), format: format))
    try store.write { transaction in
      for (number, name) in Self.names.enumerated() {
        try transaction.insert(Town(id: "\(number)", name: name))
      }
    }
    let cases: [(TypedQuery<Town>, [String])] = [
      (Town.where { $0.name.contains("CAF", .caseInsensitive) }, ["0", "1"]),
      (Town.where { $0.name.contains("CAF") }, []),
      (
        Town.where { $0.name.hasSuffix("FE", [.caseInsensitive, .diacriticInsensitive]) },
        ["0", "1"]
      ),
      (Town.where { $0.name.hasSuffix("FE", .caseInsensitive) }, ["1"]),
      (Town.where { $0.name.hasPrefix("ガ", .widthInsensitive) }, ["2"]),
      (Town.where { $0.name.hasPrefix("ガ", [.widthInsensitive, .kanaInsensitive]) }, ["2", "3"]),
      (Town.where { $0.name.like("g?MU", .caseInsensitive) }, ["4"]),
      (Town.where { $0.name.equals("キャノン", .smallKanaInsensitive) }, ["5"]),
      (Town.where { $0.name.isIn(["CAFE", "gamu"], .caseInsensitive) }, ["1", "4"]),
      (Town.where { $0.name.matches("[a-z]{4}", .caseInsensitive) }, ["1", "4"]),
      (Town.where { $0.name.matches("[a-z]{4}") }, ["1"]),
      (Town.where { $0.name.equals($0.id, .caseInsensitive) }, []),
    ]
    for (number, (query, expected)) in cases.enumerated() {
      #expect(try store.read { try $0.records(query).map(\.id) } == expected, "case \(number)")
    }
    #expect(throws: StoreError.self) {
      try store.read { try $0.records(Town.where { $0.name.matches("(") }) }
    }
  }
}
