import KuraCore

/// The words of a command line, sorted into positional arguments and options.
struct ParsedArguments {
  var positional: [String] = []
  /// The values of each option by its name; a switch has one empty value for each use.
  var options: [String: [String]] = [:]

  /// Whether a switch or option was given.
  func has(_ name: String) -> Bool { options[name] != nil }

  /// The last value of an option.
  func value(_ name: String) -> String? { options[name]?.last }

  /// All values of an option.
  func values(_ name: String) -> [String] { options[name] ?? [] }
}

/// Reads a command line: options anywhere after the command, `--name value` or `--name=value`,
/// grouped short switches, `--` ends options.
struct ArgumentParser {
  let options: [CommandSpecification.Option]

  func parse(_ words: [String]) throws(StoreError) -> ParsedArguments {
    var parsed = ParsedArguments()
    var index = 0
    var onlyPositional = false
    while index < words.count {
      let word = words[index]
      index += 1
      if onlyPositional || word == "-" || !word.hasPrefix("-") || ArgumentParser.isNumber(word) {
        parsed.positional.append(word)
      } else if word == "--" {
        onlyPositional = true
      } else if word.hasPrefix("--") {
        try long(word, words, &index, &parsed)
      } else {
        try short(word, words, &index, &parsed)
      }
    }
    return parsed
  }

  /// Negative numbers are values, as keys may be.
  private static func isNumber(_ word: String) -> Bool {
    word.count > 1 && Double(word) != nil
  }

  private func long(
    _ word: String, _ words: [String], _ index: inout Int, _ parsed: inout ParsedArguments
  ) throws(StoreError) {
    let body = word.dropFirst(2)
    let name = String(body.prefix { $0 != "=" })
    let given = body.count > name.count ? String(body.dropFirst(name.count + 1)) : nil
    guard let option = options.first(where: { $0.name == name || $0.hiddenNames.contains(name) })
    else { throw unknown("--" + name) }
    try add(option, "--" + name, given, words, &index, &parsed)
  }

  private func short(
    _ word: String, _ words: [String], _ index: inout Int, _ parsed: inout ParsedArguments
  ) throws(StoreError) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw unknown("-" + String(letter))
      }
      if option.value == nil {
        try add(option, "-" + String(letter), nil, words, &index, &parsed)
        continue
      }
      let given = rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest)
      return try add(option, "-" + String(letter), given, words, &index, &parsed)
    }
  }

  private func add(
    _ option: CommandSpecification.Option, _ spelling: String, _ given: String?,
    _ words: [String], _ index: inout Int, _ parsed: inout ParsedArguments
  ) throws(StoreError) {
    guard let valueName = option.value else {
      guard given == nil else { throw UsageError.make("\(spelling) takes no value") }
      parsed.options[option.name, default: []].append("")
      return
    }
    var value = given
    if value == nil, index < words.count {
      value = words[index]
      index += 1
    }
    guard let value else { throw UsageError.make("\(spelling) needs a value \(valueName)") }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      let hint = closestMatch(value, in: option.choices).map { "did you mean \"\($0)\"?" }
      throw UsageError.make(
        "\(spelling) cannot be \"\(value)\"",
        hint: hint ?? "one of " + option.choices.joined(separator: ", "))
    }
    guard option.isRepeated || parsed.options[option.name] == nil else {
      throw UsageError.make("\(spelling) is given twice")
    }
    parsed.options[option.name, default: []].append(value)
  }

  private func unknown(_ spelling: String) -> StoreError {
    let names = options.filter { !$0.isHidden }.map { "--" + $0.name }
    return UsageError.make(
      "there is no option \(spelling)",
      hint: closestMatch(spelling, in: names).map { "did you mean \($0)?" }
        ?? "see --help for the options")
  }
}

/// Mistakes in the words of the command line.
enum UsageError {
  /// The code of a mistake on the command line.
  static let code = StoreError.Code(rawValue: "usage.invalid")

  static func make(_ message: String, hint: String? = nil) -> StoreError {
    StoreError(code, message, suggestion: hint ?? "see --help")
  }
}
