import KuraCore

/// Reads keys as people type them: `[codec:]text`.
enum KeyLiteral {
  /// The bytes of a literal.
  ///
  /// - Parameter usual: What a text without a codec is: text with escapes, unless given.
  /// - Throws: ``StoreError/Code/wrongKey`` with an example.
  static func bytes(_ text: String, usual: CodecForm? = nil) throws(StoreError) -> [UInt8] {
    if text.hasPrefix("tuple:") { return try tuple(text.dropFirst(6), text) }
    if let colon = text.firstIndex(of: ":"), let form = CodecForm(text[..<colon]) {
      let rest = text[text.index(after: colon)...]
      guard let bytes = bytes(rest, form) else { throw wrong(text, example(form)) }
      return bytes
    }
    if let usual, let bytes = bytes(text[...], usual) { return bytes }
    guard usual == nil || usual == .utf8 || usual == .auto, let bytes = unescaped(text) else {
      throw wrong(text, usual.map(example) ?? #"\xNN, \n, \t or \\ after a backslash"#)
    }
    return bytes
  }

  /// The bytes of a text in a form; `nil` when it is not of the form, or the form is for reading only.
  static func bytes(_ text: Substring, _ form: CodecForm) -> [UInt8]? {
    switch form {
    case .hex: StoredValue.bytes(hex: text)
    case .base64: Base64.bytes(text.utf8)
    case .utf8, .json: Array(text.utf8)
    case .uuid:
      text.utf8.count == 36
        ? StoredValue.bytes(hex: text.filter { $0 != "-" }).flatMap { $0.count == 16 ? $0 : nil }
        : nil
    case .number(let number): number.bytes(text)
    case .auto, .cbor, .msgpack, .plist: nil
    }
  }

  private static func example(_ form: CodecForm) -> String {
    switch form {
    case .hex: "hex:00ff"
    case .base64: "b64:AP8="
    case .uuid: "uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    case .number(let number):
      number.kind == .float
        ? "a number such as f64be:1.5" : "a whole number that fits, such as u32be:7"
    default: "text"
    }
  }

  private static func wrong(_ text: String, _ example: String) -> StoreError {
    StoreError(
      .wrongKey, "\"\(text)\" is no key", expected: example,
      suggestion: "utf8:TEXT takes any text as it is")
  }

  /// A text with `\xNN`, `\n`, `\r`, `\t`, `\0` and `\\`; `nil` for other escapes.
  private static func unescaped(_ text: String) -> [UInt8]? {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "0"): bytes.append(0)
      case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard let parsed = StoredValue.bytes(hex: digits), parsed.count == 1 else { return nil }
        bytes += parsed
        rest = rest.dropFirst(2)
      default: return nil
      }
    }
    return bytes
  }

  /// Parts one after the other: `("a",u64be:7)`.
  private static func tuple(_ text: Substring, _ whole: String) throws(StoreError) -> [UInt8] {
    let error = wrong(whole, #"tuple:("a",u64be:7)"#)
    guard text.hasPrefix("("), text.hasSuffix(")"), text.count >= 2 else { throw error }
    var bytes: [UInt8] = []
    var rest = text.dropFirst().dropLast()
    while !rest.isEmpty {
      if rest.first == "\"" {
        // A quote inside is `\x22`.
        guard let end = rest.dropFirst().firstIndex(of: "\""),
          let part = unescaped(String(rest[rest.index(after: rest.startIndex)..<end]))
        else { throw error }
        bytes += part
        rest = rest[rest.index(after: end)...]
      } else {
        let part = rest.prefix { $0 != "," }
        guard part.contains(":") else { throw error }
        bytes += try self.bytes(String(part))
        rest = rest.dropFirst(part.count)
      }
      guard rest.isEmpty || rest.first == "," else { throw error }
      if rest.popFirst() != nil, rest.isEmpty { throw error }
    }
    return bytes
  }
}
