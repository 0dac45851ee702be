import KuraCore

/// Takes JSON apart, one level deep.
enum JSONMembers {
  /// Gives the members of an object: their names, and their values as they are written.
  ///
  /// - Returns: Whether the bytes are one valid object and nothing else.
  static func read(
    _ bytes: UnsafeRawBufferPointer, _ body: (String, UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    var text = JSONText(bytes)
    text.skipSpace()
    guard text.skip(UInt8(ascii: "{")) else { return false }
    text.skipSpace()
    if !text.skip(UInt8(ascii: "}")) {
      repeat {
        text.skipSpace()
        guard let name = part(&text, { $0.skipString() }), let decoded = string(name) else {
          return false
        }
        text.skipSpace()
        guard text.skip(UInt8(ascii: ":")) else { return false }
        text.skipSpace()
        guard let value = part(&text, { $0.skipValue() }) else { return false }
        body(String(decoding: decoded, as: UTF8.self), value)
        text.skipSpace()
      } while text.skip(UInt8(ascii: ","))
      guard text.skip(UInt8(ascii: "}")) else { return false }
    }
    text.skipSpace()
    return text.position == bytes.count
  }

  /// Gives the elements of an array, until a body says that one is wrong.
  static func elements(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var text = JSONText(bytes)
    text.skipSpace()
    guard text.skip(UInt8(ascii: "[")) else { return false }
    text.skipSpace()
    if text.skip(UInt8(ascii: "]")) { return true }
    repeat {
      text.skipSpace()
      guard let value = part(&text, { $0.skipValue() }), body(value) else { return false }
      text.skipSpace()
    } while text.skip(UInt8(ascii: ","))
    return text.skip(UInt8(ascii: "]"))
  }

  private static func part(_ text: inout JSONText, _ skip: (inout JSONText) -> Bool)
    -> UnsafeRawBufferPointer?
  {
    let start = text.position
    guard skip(&text) else { return nil }
    return UnsafeRawBufferPointer(rebasing: text.bytes[start..<text.position])
  }

  /// The UTF-8 of a JSON string with its quotes; `nil` when it is none, or has half of a pair.
  static func string(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
    else { return nil }
    let content = bytes.dropFirst().dropLast()
    guard content.contains(UInt8(ascii: "\\")) else { return Array(content) }
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    var index = content.startIndex
    while index < content.endIndex {
      guard content[index] == UInt8(ascii: "\\"), index + 1 < content.endIndex else {
        result.append(content[index])
        index += 1
        continue
      }
      let escape = content[index + 1]
      index += 2
      switch escape {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "u"):
        guard var value = unit(content, index) else { return nil }
        index += 4
        if (0xD800..<0xDC00).contains(value) {
          guard index + 1 < content.endIndex, content[index] == UInt8(ascii: "\\"),
            content[index + 1] == UInt8(ascii: "u"), let low = unit(content, index + 2),
            (0xDC00..<0xE000).contains(low)
          else { return nil }
          value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
          index += 6
        }
        guard let scalar = Unicode.Scalar(value) else { return nil }
        result += Array(String(Character(scalar)).utf8)
      default: result.append(escape)
      }
    }
    return result
  }

  /// The number of four hexadecimal digits.
  private static func unit(_ content: Slice<UnsafeRawBufferPointer>, _ index: Int) -> UInt32? {
    guard index + 4 <= content.endIndex else { return nil }
    return UInt32(String(decoding: content[index..<(index + 4)], as: UTF8.self), radix: 16)
  }
}
