/// Escapes and character classes.
extension PatternParser {
  /// A class in brackets.
  mutating func parseClass() throws(StoreError) -> ScalarSet {
    let start = position
    position += 1
    var set = ScalarSet()
    set.isInverted = take("^")
    set.ignoresCase = flags.ignoresCase || folding.contains(.caseInsensitive)
    var isFirst = true
    while true {
      guard let scalar = next else { throw error("a class is not closed", at: start) }
      if scalar == "]", !isFirst { break }
      isFirst = false
      if scalar == "[" || isAhead("&&") || isAhead("--") {
        throw error(
          "classes inside classes have no place here",
          suggestion: "write \\\(scalar) for the character")
      }
      let place = position
      guard let low = try parseClassScalar(&set) else { continue }
      // A minus at the end is itself.
      guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        insert(low...low, into: &set)
        continue
      }
      position += 1
      var ignored = ScalarSet()
      guard let high = try parseClassScalar(&ignored), low <= high else {
        throw error("a range of a class ends before it begins, or with a class", at: place)
      }
      insert(low...high, into: &set)
    }
    position += 1
    return set
  }

  /// Adds characters as the folded text has them.
  private mutating func insert(_ range: ClosedRange<UInt32>, into set: inout ScalarSet) {
    set.insert(range)
    // Larger ranges are whole scripts, which fold to themselves.
    guard !folding.isEmpty, range.upperBound - range.lowerBound < 0x400 else { return }
    for scalar in range {
      let folded = scalarFolding.fold([scalar])
      if folded.count == 1 { set.insert(folded[0]...folded[0]) }
    }
  }

  /// One character of a class; `nil` when a whole class was added.
  private mutating func parseClassScalar(_ set: inout ScalarSet) throws(StoreError) -> UInt32? {
    guard let scalar = next else { throw error("a class is not closed") }
    guard scalar == "\\" else {
      position += 1
      return scalar.value
    }
    let start = position
    position += 1
    guard let escaped = next else { throw error("a backslash escapes nothing", at: start) }
    if let property = PatternParser.shorthand(escaped) {
      position += 1
      set.insert(property.0, isInverted: property.1)
      return nil
    }
    switch escaped {
    case "p", "P":
      try insertNamed(into: &set)
      return nil
    case "b":
      position += 1
      return 0x08
    default: return try parseEscapedScalar(start)
    }
  }

  /// What a backslash begins outside of a class.
  mutating func parseEscape() throws(StoreError) -> PatternNode {
    let start = position
    position += 1
    guard let escaped = next else {
      throw error(
        "a backslash escapes nothing", at: start, suggestion: "write \\\\ for a backslash")
    }
    if let property = PatternParser.shorthand(escaped) {
      position += 1
      return .set(ScalarSet(property.0, isInverted: property.1))
    }
    let place: PatternNode.Place?
    switch escaped {
    case "b": place = .wordBoundary
    case "B": place = .noWordBoundary
    case "A": place = .start
    case "z": place = .end
    case "Z": place = .beforeLastLineEnd
    case "p", "P":
      var set = ScalarSet()
      set.ignoresCase = flags.ignoresCase || folding.contains(.caseInsensitive)
      try insertNamed(into: &set)
      return .set(set)
    case "1"..."9", "k":
      throw error(
        "references to groups have no place here", at: start,
        suggestion: "write the alternatives out: a match must not depend on what came before")
    default: place = nil
    }
    if let place {
      position += 1
      return .place(place)
    }
    let value = try parseEscapedScalar(start)
    guard let scalar = Unicode.Scalar(value) else { return .empty }
    return literal(scalar)
  }

  private static func shorthand(_ scalar: Unicode.Scalar) -> (ScalarSet.Property, Bool)? {
    switch scalar {
    case "d": (.categories([.decimalNumber]), false)
    case "D": (.categories([.decimalNumber]), true)
    case "w": (.word, false)
    case "W": (.word, true)
    case "s": (.whitespace, false)
    case "S": (.whitespace, true)
    default: nil
    }
  }

  /// `p{…}` or `P{…}`, or one letter instead of the braces.
  private mutating func insertNamed(into set: inout ScalarSet) throws(StoreError) {
    let start = position
    var isInverted = next == "P"
    position += 1
    var name = ""
    if take("{") {
      if take("^") { isInverted.toggle() }
      while let scalar = next, scalar != "}", name.utf8.count < 40 {
        name.unicodeScalars.append(scalar)
        position += 1
      }
      guard take("}") else { throw error("a property is not closed", at: start) }
    } else if let scalar = next {
      name = String(scalar)
      position += 1
    }
    guard let named = ScalarSet.named(name) else {
      throw error(
        "there is no property \"\(name)\"", at: start,
        suggestion: "known are general categories such as Lu and N, Han, Hiragana, Katakana, "
          + "Alphabetic, Uppercase, Lowercase, White_Space")
    }
    guard isInverted else { return set.formUnion(named) }
    set.formComplementUnion(named)
  }

  /// The character that a backslash and what follows it stand for.
  private mutating func parseEscapedScalar(_ start: Int) throws(StoreError) -> UInt32 {
    guard let escaped = next else { throw error("a backslash escapes nothing", at: start) }
    position += 1
    switch escaped {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "f": return 0x0C
    case "e": return 0x1B
    case "0": return 0
    case "x", "u":
      if take("{") {
        let value = try parseHexadecimal(upTo: 6, start)
        guard take("}") else { throw error("\\\(escaped){…} is not closed", at: start) }
        return value
      }
      return try parseHexadecimal(
        exactly: escaped == "x" ? 2 : 4, upTo: escaped == "x" ? 2 : 4, start)
    default:
      let isLetter = ("a"..."z").contains(escaped) || ("A"..."Z").contains(escaped)
      let isDigit = ("0"..."9").contains(escaped)
      guard !isLetter, !isDigit else {
        throw error(
          "\"\\\(escaped)\" means nothing here", at: start,
          suggestion: "known are \\d \\w \\s \\b \\p{…} \\n \\r \\t \\x{…} and their like")
      }
      return escaped.value
    }
  }

  private mutating func parseHexadecimal(exactly count: Int? = nil, upTo most: Int, _ start: Int)
    throws(StoreError) -> UInt32
  {
    var value: UInt32 = 0
    var digits = 0
    while digits < most, let scalar = next, let digit = scalar.hexadecimalDigit {
      value = value << 4 | digit
      digits += 1
      position += 1
    }
    guard digits > 0, count == nil || digits == count, Unicode.Scalar(value) != nil else {
      throw error("the number of a character is wrong", at: start, suggestion: "write \\u{1F95A}")
    }
    return value
  }
}

extension Unicode.Scalar {
  fileprivate var hexadecimalDigit: UInt32? {
    switch value {
    case 0x30...0x39: value - 0x30
    case 0x41...0x46: value - 0x37
    case 0x61...0x66: value - 0x57
    default: nil
    }
  }
}
