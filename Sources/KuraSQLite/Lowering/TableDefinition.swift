import KuraCore

/// The parts of a `CREATE TABLE` statement that Kura wrote and SQLite may have changed since.
struct TableDefinition {
  /// Columns and constraints, each as written.
  private(set) var elements: [String]
  /// What follows the closing parenthesis.
  private let options: String

  /// Takes a statement apart; `nil` when it has no list in parentheses.
  init?(_ sql: String) {
    let bytes = Array(sql.utf8)
    var elements: [String] = []
    var depth = 0
    var start = 0
    var index = 0
    var end: Int?
    while index < bytes.count, end == nil {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
        // A quote inside is written twice, which reads as two quoted parts here.
        index += 1
        while index < bytes.count, bytes[index] != byte { index += 1 }
      case UInt8(ascii: "("):
        depth += 1
        if depth == 1 { start = index + 1 }
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { end = index }
      case UInt8(ascii: ",") where depth == 1:
        elements.append(TableDefinition.text(bytes[start..<index]))
        start = index + 1
      default: break
      }
      index += 1
    }
    guard let end else { return nil }
    elements.append(TableDefinition.text(bytes[start..<end]))
    self.elements = elements
    options = String(decoding: bytes[(end + 1)...], as: UTF8.self)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes
    while let first = bytes.first, first <= 32 { bytes.removeFirst() }
    while let last = bytes.last, last <= 32 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds a column behind the others, before the constraints.
  mutating func add(_ column: String) {
    let constraints = ["PRIMARY KEY (", "FOREIGN KEY ("]
    let end = elements.firstIndex { element in constraints.contains { element.hasPrefix($0) } }
    elements.insert(column, at: end ?? elements.endIndex)
  }

  /// Gives a column another declaration, unless it is the row number, and another foreign key.
  mutating func change(_ column: String, to declaration: String, reference: String?) {
    let name = SQLLiterals.quoted(column)
    elements.removeAll { $0.hasPrefix("FOREIGN KEY (\(name)) ") }
    for index in elements.indices where elements[index].hasPrefix(name + " ") {
      let isRowNumber = elements[index].hasPrefix(name + " INTEGER PRIMARY KEY")
      elements[index] = isRowNumber ? name + " INTEGER PRIMARY KEY" : declaration
    }
    if let reference { elements.append("FOREIGN KEY (\(name))" + reference) }
  }

  /// Removes a column and the foreign key that is this column alone.
  mutating func remove(_ column: String) {
    let name = SQLLiterals.quoted(column)
    elements.removeAll { element in
      element.hasPrefix(name + " ") || element.hasPrefix("FOREIGN KEY (\(name)) ")
    }
  }

  /// The statement that makes a table of these parts.
  func sql(named name: String) -> String {
    "CREATE TABLE \(name) (\n"
      + elements.map { "  " + $0 }.joined(separator: ",\n") + "\n)" + options
  }
}
