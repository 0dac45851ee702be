/// A set of Unicode scalars: a character class of a pattern.
struct ScalarSet: Sendable {
  /// What is in a set beside ranges.
  enum Property: Sendable {
    case categories(Set<Unicode.GeneralCategory>)
    case alphabetic, uppercase, lowercase, whitespace, word, han
  }

  private(set) var ranges: [ClosedRange<UInt32>] = []
  private var properties: [(property: Property, isInverted: Bool)] = []
  var isInverted = false
  /// Whether a scalar counts whose upper or lower case is in the set.
  var ignoresCase = false
  /// The answers for ASCII, when the set is complete.
  private var ascii: (UInt64, UInt64) = (0, 0)

  init() {}

  init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

  init(_ property: Property, isInverted: Bool = false) {
    properties = [(property, isInverted)]
  }

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  mutating func insert(_ property: Property, isInverted: Bool) {
    properties.append((property, isInverted))
  }

  /// Adds what is in another set that is not yet inverted.
  mutating func formUnion(_ other: ScalarSet) {
    ranges += other.ranges
    properties += other.properties
  }

  /// Adds what is not in another set, which has ranges only or one property.
  mutating func formComplementUnion(_ other: ScalarSet) {
    guard other.properties.isEmpty else {
      properties += other.properties.map { ($0.property, !$0.isInverted) }
      return
    }
    var start: UInt32 = 0
    for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > start { ranges.append(start...range.lowerBound - 1) }
      start = range.upperBound + 1
    }
    if start <= 0x10_FFFF { ranges.append(start...0x10_FFFF) }
  }

  /// Ends making the set: sorts the ranges and answers for ASCII.
  mutating func complete() {
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var joined: [ClosedRange<UInt32>] = []
    for range in ranges {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    ranges = joined
    for scalar in 0..<64 as Range<UInt32> {
      if decide(scalar) { ascii.0 |= 1 << UInt64(scalar) }
      if decide(scalar + 64) { ascii.1 |= 1 << UInt64(scalar) }
    }
  }

  /// Whether a scalar is in the set; values that are no scalars are in inverted sets only.
  func contains(_ scalar: UInt32) -> Bool {
    if scalar < 64 { return ascii.0 & (1 << UInt64(scalar)) != 0 }
    if scalar < 128 { return ascii.1 & (1 << UInt64(scalar & 63)) != 0 }
    return decide(scalar)
  }

  private func decide(_ scalar: UInt32) -> Bool {
    var isIn = holds(scalar)
    if !isIn, ignoresCase {
      let (lower, upper) = (scalar.simpleLowercase, scalar.simpleUppercase)
      isIn = (lower != scalar && holds(lower)) || (upper != scalar && holds(upper))
    }
    return isIn != isInverted
  }

  private func holds(_ scalar: UInt32) -> Bool {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = low + (high - low) / 2
      if ranges[middle].contains(scalar) { return true }
      if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    guard let scalar = Unicode.Scalar(scalar) else { return false }
    return properties.contains { $0.property.holds(scalar) != $0.isInverted }
  }
}

extension ScalarSet.Property {
  func holds(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .categories(let categories): return categories.contains(properties.generalCategory)
    case .alphabetic: return properties.isAlphabetic
    case .uppercase: return properties.isUppercase
    case .lowercase: return properties.isLowercase
    case .whitespace: return properties.isWhitespace
    case .word:
      if properties.isAlphabetic || properties.isJoinControl { return true }
      switch properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation:
        return true
      default: return false
      }
    case .han:
      return properties.isUnifiedIdeograph || ScalarSet.otherHan.contains { $0 ~= scalar.value }
    }
  }
}

extension ScalarSet {
  /// What is Han beside the unified ideographs.
  fileprivate static let otherHan: [ClosedRange<UInt32>] = [
    0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x3005...0x3005, 0x3007...0x3007,
    0x3021...0x3029, 0x3038...0x303B, 0xF900...0xFA6D, 0xFA70...0xFAD9, 0x2_F800...0x2_FA1D,
  ]

  /// The set of a name in `\p{…}`; `nil` when there is none.
  static func named(_ name: String) -> ScalarSet? {
    let folded = String(name.lowercased().filter { $0 != "_" && $0 != " " && $0 != "-" })
    switch folded {
    case "alphabetic", "alpha": return ScalarSet(.alphabetic)
    case "uppercase": return ScalarSet(.uppercase)
    case "lowercase": return ScalarSet(.lowercase)
    case "whitespace": return ScalarSet(.whitespace)
    case "any": return ScalarSet([0...0x10_FFFF])
    case "ascii": return ScalarSet([0...0x7F])
    case "han", "script=han", "sc=han": return ScalarSet(.han)
    case "hiragana", "script=hiragana", "sc=hira":
      return ScalarSet([
        0x3041...0x3096, 0x309D...0x309F, 0x1_B001...0x1_B11F, 0x1_B132...0x1_B132,
        0x1_B150...0x1_B152, 0x1_F200...0x1_F200,
      ])
    case "katakana", "script=katakana", "sc=kana":
      return ScalarSet([
        0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357,
        0xFF66...0xFF6F, 0xFF71...0xFF9D, 0x1_AFF0...0x1_AFF3, 0x1_AFF5...0x1_AFFB,
        0x1_AFFD...0x1_AFFE, 0x1_B000...0x1_B000, 0x1_B120...0x1_B122, 0x1_B155...0x1_B155,
        0x1_B164...0x1_B167,
      ])
    default:
      let category = folded.hasPrefix("gc=") ? String(folded.dropFirst(3)) : folded
      let found = ScalarSet.categories.filter { $0.name.hasPrefix(category) && category.count <= 2 }
        .map(\.category)
      return found.isEmpty || category.isEmpty ? nil : ScalarSet(.categories(Set(found)))
    }
  }

  private static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
    ("lu", .uppercaseLetter), ("ll", .lowercaseLetter), ("lt", .titlecaseLetter),
    ("lm", .modifierLetter), ("lo", .otherLetter), ("mn", .nonspacingMark),
    ("mc", .spacingMark), ("me", .enclosingMark), ("nd", .decimalNumber), ("nl", .letterNumber),
    ("no", .otherNumber), ("pc", .connectorPunctuation), ("pd", .dashPunctuation),
    ("ps", .openPunctuation), ("pe", .closePunctuation), ("pi", .initialPunctuation),
    ("pf", .finalPunctuation), ("po", .otherPunctuation), ("sm", .mathSymbol),
    ("sc", .currencySymbol), ("sk", .modifierSymbol), ("so", .otherSymbol),
    ("zs", .spaceSeparator), ("zl", .lineSeparator), ("zp", .paragraphSeparator),
    ("cc", .control), ("cf", .format), ("cs", .surrogate), ("co", .privateUse),
    ("cn", .unassigned),
  ]
}

extension UInt32 {
  /// The lower case, when it is one scalar.
  var simpleLowercase: UInt32 {
    guard let scalar = Unicode.Scalar(self) else { return self }
    let mapping = scalar.properties.lowercaseMapping.unicodeScalars
    return mapping.count == 1 ? mapping.first?.value ?? self : self
  }

  /// The upper case, when it is one scalar.
  var simpleUppercase: UInt32 {
    guard let scalar = Unicode.Scalar(self) else { return self }
    let mapping = scalar.properties.uppercaseMapping.unicodeScalars
    return mapping.count == 1 ? mapping.first?.value ?? self : self
  }
}
