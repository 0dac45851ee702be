/// Names of files as bytes: POSIX allows any bytes but NUL, a `String` holds only Unicode.
///
/// Paths go through the library as `String`. A byte that is no UTF-8 travels as a scalar of its own,
/// U+10FF00 plus the byte, from the private use area's end; where a name really has a scalar of
/// that range, its bytes travel one by one, so that every name comes back as it was. Every call of
/// the C library or of an engine takes ``bytes(of:)``, everything shown to people ``shown(_:)``.
package enum FileName {
  private static let substitutes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

  /// The text of a name's bytes, which end before the first NUL.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes.prefix { $0 != 0 })
    if let text = String(validating: bytes, as: UTF8.self), isText(text) { return text }
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      // A lead byte's high bits count the bytes of its scalar.
      let length = byte < 0x80 ? 1 : max(1, (~byte).leadingZeroBitCount)
      if let scalar = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first,
        !substitutes.contains(scalar.value)
      {
        scalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if let scalar = Unicode.Scalar(0x10FF00 + UInt32(byte)) { scalars.append(scalar) }
        rest = rest.dropFirst()
      }
    }
    return String(scalars)
  }

  /// The text of a name that ends with a NUL, as the C library gives it.
  package static func text(of name: UnsafePointer<CChar>) -> String {
    var bytes: [UInt8] = []
    var position = name
    while position.pointee != 0 {
      bytes.append(UInt8(bitPattern: position.pointee))
      position += 1
    }
    return text(of: bytes)
  }

  /// The bytes of a name with the NUL that the C library expects.
  package static func bytes(of text: String) -> [CChar] {
    guard !isText(text) else { return Array(text.utf8CString) }
    var bytes: [CChar] = []
    for scalar in text.unicodeScalars {
      if substitutes.contains(scalar.value) {
        bytes.append(CChar(truncatingIfNeeded: scalar.value))
      } else {
        bytes += UTF8.encode(scalar).map { $0.map { CChar(bitPattern: $0) } } ?? []
      }
    }
    return bytes + [0]
  }

  /// Whether a name is ordinary text, without bytes that are no UTF-8.
  package static func isText(_ text: String) -> Bool {
    // Only scalars from U+100000 on begin with this byte.
    !text.utf8.contains(0xF4)
      || !text.unicodeScalars.contains { substitutes.contains($0.value) }
  }

  /// The name for people: a byte that is no UTF-8 is shown as `\xHH`.
  package static func shown(_ text: String) -> String {
    guard !isText(text) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if substitutes.contains(scalar.value) {
        result += "\\x\(String(scalar.value & 0xFF, radix: 16))".unicodeScalars
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
