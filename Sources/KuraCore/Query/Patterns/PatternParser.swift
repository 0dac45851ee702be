/// Reads a pattern of MATCHES by recursive descent.
struct PatternParser {
  /// The most characters of a pattern.
  static let maximumLength = 10_000
  /// The most groups inside each other.
  static let maximumDepth = 100
  /// The most repetitions in braces.
  static let maximumRepetition = 1_000

  struct Flags {
    var ignoresCase = false
    var dotTakesLineEnds = false
    var isMultiline = false
  }

  let scalars: [Unicode.Scalar]
  let folding: TextComparison
  var position = 0
  var flags = Flags()
  private var depth = 0
  private let isTooLong: Bool
  var scalarFolding: ScalarFolding

  init(_ pattern: String, _ folding: TextComparison) {
    self.folding = folding
    scalarFolding = ScalarFolding(folding)
    isTooLong = pattern.utf8.count > 4 * PatternParser.maximumLength
    scalars = isTooLong ? [] : Array(pattern.unicodeScalars)
  }

  mutating func parse() throws(StoreError) -> PatternNode {
    guard !isTooLong, scalars.count <= PatternParser.maximumLength else {
      throw StoreError(
        .invalidQuery, "the pattern of MATCHES is too long",
        expected: "at most \(PatternParser.maximumLength) characters")
    }
    let node = try parseAlternatives()
    guard position == scalars.count else {
      throw error("there is a \")\" without a \"(\"", suggestion: "write \\) for the character")
    }
    return node
  }

  // MARK: Reading

  var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  func isAhead(_ text: String) -> Bool {
    scalars[position...].starts(with: text.unicodeScalars)
  }

  /// An error about a place of the pattern; the current one if none is given.
  func error(_ message: String, at place: Int? = nil, suggestion: String? = nil) -> StoreError {
    StoreError(
      .invalidQuery,
      "\(message), at character \((place ?? position) + 1) of the pattern of MATCHES",
      suggestion: suggestion)
  }

  // MARK: Structure

  private mutating func parseAlternatives() throws(StoreError) -> PatternNode {
    // Flags set inside a group end with it, and reach over its alternatives.
    let outer = flags
    defer { flags = outer }
    var nodes = [try parseSequence()]
    while take("|") { nodes.append(try parseSequence()) }
    return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
  }

  private mutating func parseSequence() throws(StoreError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = position
      guard let atom = try parseAtom() else { continue }
      nodes.append(try parseRepetition(of: atom, from: start))
    }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func parseRepetition(of atom: PatternNode, from start: Int)
    throws(StoreError) -> PatternNode
  {
    var least = 1
    var most: Int? = 1
    switch next {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{": break
    default: return atom
    }
    if next == "{" {
      (least, most) = try parseCounts()
    } else {
      position += 1
    }
    // Which way is tried first makes no difference to whether the whole text fits.
    if take("?") { return .repetition(atom, least, most) }
    if next == "+" {
      throw error(
        "possessive repetitions have no place here", suggestion: "leave out the second +")
    }
    if let next, next == "*" || next == "{" {
      throw error("a repetition is repeated", suggestion: "put the first one into (?:…)")
    }
    return .repetition(atom, least, most)
  }

  private mutating func parseCounts() throws(StoreError) -> (Int, Int?) {
    let start = position
    position += 1
    let least = try parseNumber()
    var most: Int? = least
    if take(",") { most = next == "}" ? nil : try parseNumber() }
    guard let least, take("}") else {
      throw error(
        "\"{\" does not begin a repetition such as {2,5}", at: start,
        suggestion: "write \\{ for the character")
    }
    if let most, most < least { throw error("a repetition ends before it begins", at: start) }
    return (least, most)
  }

  private mutating func parseNumber() throws(StoreError) -> Int? {
    var number: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      number = (number ?? 0) * 10 + Int(scalar.value - 48)
      if let number, number > PatternParser.maximumRepetition {
        throw error("nothing is repeated more than \(PatternParser.maximumRepetition) times")
      }
      position += 1
    }
    return number
  }

  // MARK: Atoms

  /// The next atom; `nil` for flags, which are none.
  private mutating func parseAtom() throws(StoreError) -> PatternNode? {
    guard let scalar = next else { return nil }
    switch scalar {
    case "(": return try parseGroup()
    case "[": return .set(try parseClass())
    case "\\": return try parseEscape()
    case "*", "+", "?":
      throw error(
        "\"\(scalar)\" repeats nothing", suggestion: "write \\\(scalar) for the character")
    case "{":
      throw error("\"{\" repeats nothing", suggestion: "write \\{ for the character")
    default: break
    }
    position += 1
    switch scalar {
    case ".":
      guard !flags.dotTakesLineEnds else {
        var everything = ScalarSet()
        everything.isInverted = true
        return .set(everything)
      }
      var set = ScalarSet([0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
      set.isInverted = true
      return .set(set)
    case "^": return .place(flags.isMultiline ? .lineStart : .start)
    case "$": return .place(flags.isMultiline ? .lineEnd : .beforeLastLineEnd)
    default: return literal(scalar)
    }
  }

  /// A character, with the marks after it, as the folded text has it.
  mutating func literal(_ scalar: Unicode.Scalar) -> PatternNode {
    if !folding.isEmpty {
      var unit = [scalar.value]
      while let mark = next, mark.value >= 0x300,
        scalarFolding.fold([mark.value]).first?.mayJoin ?? false
      {
        unit.append(mark.value)
        position += 1
      }
      let folded = scalarFolding.fold(unit)
      return folded.count == 1 ? .scalar(folded[0]) : .sequence(folded.map { .scalar($0) })
    }
    guard flags.ignoresCase else { return .scalar(scalar.value) }
    var set = ScalarSet([scalar.value...scalar.value])
    set.ignoresCase = true
    // Of ſ and K the other forms are found by way of s and k.
    for other in [scalar.value.simpleLowercase, scalar.value.simpleUppercase] {
      set.insert(other...other)
    }
    return .set(set)
  }

  private mutating func parseGroup() throws(StoreError) -> PatternNode? {
    let start = position
    position += 1
    guard depth < PatternParser.maximumDepth else {
      throw error("groups are nested more than \(PatternParser.maximumDepth) deep", at: start)
    }
    depth += 1
    defer { depth -= 1 }
    let outer = flags
    if take("?") {
      guard try parseGroupKind(start) else { return nil }
    }
    let node = try parseAlternatives()
    flags = outer
    guard take(")") else { throw error("a group is not closed", at: start) }
    return node
  }

  /// What follows `(?`; `false` when it was flags for the rest of the group around it.
  private mutating func parseGroupKind(_ start: Int) throws(StoreError) -> Bool {
    for (text, name) in [
      ("=", "looking ahead"), ("!", "looking ahead"), ("<=", "looking back"),
      ("<!", "looking back"), (">", "atomic groups"), ("#", "comments"),
    ] where isAhead(text) {
      throw error("\(name) has no place here", at: start)
    }
    if take(":") { return true }
    if take("<") {
      while let scalar = next, scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
        position += 1
      }
      guard take(">") else { throw error("the name of a group is not closed", at: start) }
      return true
    }
    var isOn = true
    while let scalar = next {
      position += 1
      switch scalar {
      case "-": isOn = false
      case "i": flags.ignoresCase = isOn
      case "s": flags.dotTakesLineEnds = isOn
      case "m": flags.isMultiline = isOn
      case ")": return false
      case ":": return true
      default:
        throw error(
          "\"\(scalar)\" is no flag", at: position - 1, suggestion: "known are i, s and m")
      }
    }
    throw error("a group is not closed", at: start)
  }
}
