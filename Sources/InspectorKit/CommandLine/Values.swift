import KuraCore

/// Reads the values of options.
enum OptionValues {
  /// A duration such as `10s`, `500ms`, `2m` or `1h`; a bare number is seconds.
  static func duration(_ text: String, _ option: String) throws(StoreError) -> Duration {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count)
    guard let number = Double(digits), number >= 0, number < 1e9 else {
      throw UsageError.make("\(option) needs a duration such as 10s or 500ms")
    }
    let seconds: Double
    switch unit {
    case "ms": seconds = number / 1000
    case "", "s": seconds = number
    case "m", "min": seconds = number * 60
    case "h": seconds = number * 3600
    default:
      throw UsageError.make("\(option) has an unknown unit \"\(unit)\"", hint: "ms, s, m or h")
    }
    return .milliseconds(Int64((seconds * 1000).rounded()))
  }

  /// A number of things, at least zero.
  static func count(_ text: String, _ option: String) throws(StoreError) -> Int {
    guard let number = Int(text), number >= 0 else {
      throw UsageError.make("\(option) needs a number of 0 or more")
    }
    return number
  }
}
