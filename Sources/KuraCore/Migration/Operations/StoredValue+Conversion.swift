#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredValue {
  /// The value as one of another type; `nil` when the rule does not cover it.
  ///
  /// Null stays null.
  func converted(to type: ValueType, _ rule: ValueConversion) -> StoredValue? {
    if isNull { return self }
    if let same = try? coerced(to: type, isOptional: true) { return same }
    switch (self, type) {
    case (.text(let text), _): return StoredValue(text: text, as: type, rule)
    case (_, .text): return plainText.map { .text($0) }
    case (_, .json): return nil
    case (.bool(let value), .integer): return .integer(value ? 1 : 0)
    case (.integer(0), .bool): return .bool(false)
    case (.integer(1), .bool): return .bool(true)
    case (.integer(let value), .double):
      // Exact integers were coerced above.
      return rule == .exact ? nil : .double(Double(value))
    case (.integer(let value), .decimal): return .decimal(Decimal(value))
    case (.integer(let value), .date):
      return Timestamp(seconds: value, nanoseconds: 0).map { .date($0) }
    case (.date(let value), .integer):
      return value.nanoseconds == 0 || rule == .truncated ? .integer(value.seconds) : nil
    case (.double(let value), .integer): return StoredValue.integer(of: value, rule)
    case (.double(let value), .decimal):
      return Decimal(plainText: value.description).map { .decimal($0) }
    case (.decimal(let value), .integer):
      if let exact = Int64(value.description) { return .integer(exact) }
      return rule == .exact ? nil : StoredValue.integer(of: value, rule)
    case (.decimal(let value), .double):
      guard let double = Double(value.description), double.isFinite else { return nil }
      guard rule == .exact else { return .double(double) }
      return Decimal(plainText: double.description) == value ? .double(double) : nil
    case (.uuid(let value), .data):
      return .data(withUnsafeBytes(of: value.uuid) { Array($0) })
    case (.data(let bytes), .uuid) where bytes.count == 16:
      let words = bytes.reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
        words.high = words.high << 8 | words.low >> 56
        words.low = words.low << 8 | UInt64(byte)
      }
      return .uuid(UUID(high: words.high, low: words.low))
    case (.objectID(let value), .data):
      return StoredValue.bytes(hex: value.description).map { .data($0) }
    case (.data(let bytes), .objectID) where bytes.count == 12:
      return ObjectID(StoredValue.hex(bytes)).map { .objectID($0) }
    default: return nil
    }
  }

  /// The one text of a value of any type but JSON; `nil` for what has none.
  var plainText: String? {
    switch self {
    case .null, .malformedText: nil
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .double(let value): value.description
    case .decimal(let value): value.description
    case .date(let value): value.description
    case .text(let value): value
    case .data(let bytes): StoredValue.hex(bytes)
    case .uuid(let value): ValueText.text(of: value)
    case .objectID(let value): value.description
    }
  }

  /// Reads a text as a value of a type.
  private init?(text: String, as type: ValueType, _ rule: ValueConversion) {
    let isLenient = rule == .lenient
    let word = isLenient ? text.trimmingBlanks : text
    let value: StoredValue?
    switch type {
    case .bool:
      let plain = isLenient ? word.lowercased() : word
      value =
        switch plain {
        case "true": .bool(true)
        case "false": .bool(false)
        case "yes", "1", "on", "y": isLenient ? .bool(true) : nil
        case "no", "0", "off", "n": isLenient ? .bool(false) : nil
        default: nil
        }
    case .integer:
      if let number = Int64(word) {
        value = .integer(number)
      } else if rule == .rounded || rule == .truncated, let number = Decimal(plainText: word) {
        value = StoredValue.integer(of: number, rule)
      } else {
        value = nil
      }
    case .double: value = Double(word).flatMap { $0.isFinite ? .double($0) : nil }
    case .decimal: value = Decimal(plainText: word).map { .decimal($0) }
    case .date: value = Timestamp(iso8601: word).map { .date($0) }
    case .uuid: value = UUID(uuidString: word).map { .uuid($0) }
    case .objectID: value = ObjectID(word).map { .objectID($0) }
    case .data: value = StoredValue.bytes(hex: word).map { .data($0) }
    case .text, .json, .any: value = nil
    }
    guard let value else { return nil }
    // Exactly means that the way back leads to the same text; dates and identifiers have one meaning
    // in all their spellings.
    switch type {
    case .integer, .decimal, .data:
      guard rule != .exact || value.plainText == text else { return nil }
    case .double:
      guard rule != .exact || value.plainText == text || Int64(text).map(String.init) == text
      else { return nil }
    default: break
    }
    self = value
  }

  private static func integer(of value: Double, _ rule: ValueConversion) -> StoredValue? {
    let whole: Double =
      switch rule {
      case .exact, .lenient: value
      case .rounded: value.rounded(.toNearestOrEven)
      case .truncated: value.rounded(.towardZero)
      }
    return Int64(exactly: whole).map { .integer($0) }
  }

  private static func integer(of value: Decimal, _ rule: ValueConversion) -> StoredValue? {
    guard rule == .rounded || rule == .truncated else { return nil }
    // In plain digits, which a decimal always has.
    let parts = value.description.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = Int64(parts[0].isEmpty || parts[0] == "-" ? "0" : parts[0]) else {
      return nil
    }
    guard rule == .rounded, parts.count == 2 else { return .integer(whole) }
    let digits = Array(parts[1].utf8)
    guard let first = digits.first else { return .integer(whole) }
    let half = UInt8(ascii: "5")
    let isHalf = first == half && digits.dropFirst().allSatisfy { $0 == UInt8(ascii: "0") }
    guard first >= half, !isHalf || whole & 1 != 0 else { return .integer(whole) }
    let step: Int64 = value < 0 ? -1 : 1
    let (sum, overflow) = whole.addingReportingOverflow(step)
    return overflow ? nil : .integer(sum)
  }
}

extension String {
  /// The text without blanks at its ends.
  fileprivate var trimmingBlanks: String {
    var scalars = unicodeScalars[...]
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }
}
