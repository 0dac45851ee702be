#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredValue: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case bool, integer, double, decimal, date, text, malformedText, data, uuid, objectID
  }

  /// Encodes `null`, or an object of one member: the type's name and the value.
  ///
  /// Doubles, decimals and integers are text, so that no reader of JSON can round them.
  public func encode(to encoder: any Encoder) throws {
    if isNull {
      var container = encoder.singleValueContainer()
      return try container.encodeNil()
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: break
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .integer(let value): try container.encode(String(value), forKey: .integer)
    case .double(let value): try container.encode(value.description, forKey: .double)
    case .decimal(let value): try container.encode(value.description, forKey: .decimal)
    case .date(let value): try container.encode(value.description, forKey: .date)
    case .text(let value): try container.encode(value, forKey: .text)
    case .malformedText(let value):
      try container.encode(StoredValue.hex(value), forKey: .malformedText)
    case .data(let value): try container.encode(StoredValue.hex(value), forKey: .data)
    case .uuid(let value): try container.encode(ValueText.text(of: value), forKey: .uuid)
    case .objectID(let value): try container.encode(value.description, forKey: .objectID)
    }
  }

  /// Decodes what ``encode(to:)`` wrote.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer(), container.decodeNil() {
      self = .null
      return
    }
    // People write plain numbers and texts here.
    let plain = DecodingError.dataCorrupted(
      .init(
        codingPath: decoder.codingPath,
        debugDescription: "a value without its type, as {\"integer\": \"42\"} has it"))
    guard let container = try? decoder.container(keyedBy: CodingKeys.self) else { throw plain }
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    guard container.allKeys.count == 1, let key = container.allKeys.first else { throw plain }
    if key == .bool {
      self = .bool(try container.decode(Bool.self, forKey: key))
      return
    }
    let text = try container.decode(String.self, forKey: key)
    let value: StoredValue? =
      switch key {
      case .bool: nil
      case .integer: Int64(text).map { .integer($0) }
      case .double: Double(text).map { .double($0) }
      case .decimal: Decimal(plainText: text).map { .decimal($0) }
      case .date: Timestamp(iso8601: text).map { .date($0) }
      case .text: .text(text)
      case .malformedText: StoredValue.bytes(hex: text).map { .malformedText($0) }
      case .data: StoredValue.bytes(hex: text).map { .data($0) }
      case .uuid: UUID(uuidString: text).map { .uuid($0) }
      case .objectID: ObjectID(text).map { .objectID($0) }
      }
    guard let value else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "not a value of that type")
    }
    self = value
  }

  /// The lower-case hexadecimal digits of bytes.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.underestimatedCount * 2)
    for byte in bytes {
      let (high, low) = (byte >> 4, byte & 15)
      digits.append(high < 10 ? high + 48 : high + 87)
      digits.append(low < 10 ? low + 48 : low + 87)
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The bytes of hexadecimal digits; `nil` for an odd count or another character.
  package static func bytes(hex text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let nibble = hexDigitValue(digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | nibble)
        high = nil
      } else {
        high = nibble
      }
    }
    return high == nil ? bytes : nil
  }
}
