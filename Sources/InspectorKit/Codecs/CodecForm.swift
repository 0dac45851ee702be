import KuraCore

/// What bytes of keys or values are taken for.
enum CodecForm: Hashable {
  /// A number of a fixed size.
  struct Number: Hashable {
    enum Kind: Character { case unsigned = "u", signed = "i", float = "f" }
    var kind: Kind
    var byteCount: Int
    var isBigEndian: Bool
  }

  /// Found out from the bytes, by fixed rules.
  case auto
  case hex, utf8, base64, json, cbor, msgpack, plist, uuid
  case number(Number)

  /// The names without numbers.
  private static let names: [String: CodecForm] = [
    "auto": .auto, "hex": .hex, "utf8": .utf8, "base64": .base64, "b64": .base64, "json": .json,
    "cbor": .cbor, "msgpack": .msgpack, "plist": .plist, "uuid": .uuid,
  ]

  /// All names, for help.
  static let help =
    "auto hex utf8 base64 json cbor msgpack plist uuid, u8 to u64, i8 to i64, f32 and f64 with be, le "
    + "or ne; zlib+, gzip+ and skipN+ before them"

  /// The form of a name such as `json` or `u32be`.
  init?(_ name: some StringProtocol) {
    if let form = CodecForm.names[String(name)] {
      self = form
      return
    }
    guard let first = name.first, let kind = Number.Kind(rawValue: first) else { return nil }
    let digits = name.dropFirst().prefix { $0.isNumber }
    let order = name.dropFirst(1 + digits.count)
    guard let bits = Int(digits), [8, 16, 32, 64].contains(bits), kind != .float || bits >= 32
    else { return nil }
    switch order {
    case "be": self = .number(.init(kind: kind, byteCount: bits / 8, isBigEndian: true))
    case "le": self = .number(.init(kind: kind, byteCount: bits / 8, isBigEndian: false))
    case "ne":
      self = .number(.init(kind: kind, byteCount: bits / 8, isBigEndian: 1.bigEndian == 1))
    case "" where bits == 8: self = .number(.init(kind: kind, byteCount: 1, isBigEndian: true))
    default: return nil
    }
  }

  /// Whether bytes can be made of a text.
  var canBeWritten: Bool {
    switch self {
    case .hex, .utf8, .base64, .json, .uuid, .number: true
    case .auto, .cbor, .msgpack, .plist: false
    }
  }

  /// The type that a query sees.
  var type: ValueType {
    switch self {
    case .hex, .base64, .utf8: .text
    case .uuid: .text
    case .number(let number):
      number.kind == .float
        ? .double : number.kind == .signed || number.byteCount < 8 ? .integer : .any
    case .auto, .json, .cbor, .msgpack, .plist: .any
    }
  }
}

extension CodecForm.Number {
  /// The value of bytes of exactly the size.
  func value(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
    guard bytes.count == byteCount else { return nil }
    var bits: UInt64 = 0
    for index in 0..<byteCount {
      bits = bits << 8 | UInt64(bytes[isBigEndian ? index : byteCount - 1 - index])
    }
    switch kind {
    case .unsigned: return StoredValue(unsigned: bits)
    case .signed:
      let shift = Int64(64 - 8 * byteCount)
      return .integer(Int64(bitPattern: bits << UInt64(shift)) >> shift)
    case .float:
      return .double(
        byteCount == 4
          ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits))
    }
  }

  /// The bytes of a number in words; `nil` when it is none or does not fit.
  func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let bits: UInt64
    let width = 8 * byteCount
    switch kind {
    case .unsigned:
      guard let number = UInt64(text), width == 64 || number >> UInt64(width) == 0 else {
        return nil
      }
      bits = number
    case .signed:
      guard let number = Int64(text), width == 64 || abs(number >> Int64(width - 1)) <= 1,
        width == 64 || (number >> Int64(width - 1) == 0 || number >> Int64(width - 1) == -1)
      else { return nil }
      bits = UInt64(bitPattern: number)
    case .float:
      guard let number = Double(text) else { return nil }
      bits = byteCount == 4 ? UInt64(Float(number).bitPattern) : number.bitPattern
    }
    return (0..<byteCount).map { index in
      UInt8(truncatingIfNeeded: bits >> UInt64(8 * (isBigEndian ? byteCount - 1 - index : index)))
    }
  }
}
