package import KuraCore

/// The names of databases as people write them.
package enum DatabaseName {
  /// The name of the main database's own values.
  package static let main = "@main"

  /// A name for people: as it is when it is clean text that means nothing else, else `hex:…`.
  package static func shown(_ name: [UInt8]?) -> String {
    guard let name else { return main }
    guard let text = String(validating: name, as: UTF8.self), !text.isEmpty, text != main,
      !text.hasPrefix("hex:"), name.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return "hex:" + StoredValue.hex(name) }
    return text
  }

  /// The name that a text means; `nil` for the main database.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` when the digits after `hex:` are none.
  package static func parse(_ text: String) throws(StoreError) -> [UInt8]? {
    if text == main { return nil }
    guard text.hasPrefix("hex:") else { return Array(text.utf8) }
    guard let bytes = StoredValue.bytes(hex: text.dropFirst(4)) else {
      throw StoreError(
        .unknownModel, "\"\(text)\" is no name of a database",
        expected: "an even number of hexadecimal digits after hex:")
    }
    return bytes
  }
}
