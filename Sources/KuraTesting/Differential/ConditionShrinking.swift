/// What a part of a condition may be replaced with to make a failing case smaller.
enum ConditionShrinking {
  /// The parts alone, and all of them with one less or one simpler.
  static func simpler<Part>(
    _ parts: [Part], _ join: ([Part]) -> Part, _ simpler: (Part) -> [Part]
  ) -> [Part] {
    var result = parts
    for index in parts.indices {
      var fewer = parts
      fewer.remove(at: index)
      result.append(join(fewer))
      for simpler in simpler(parts[index]) {
        var changed = parts
        changed[index] = simpler
        result.append(join(changed))
      }
    }
    return result
  }

  /// The values with one less.
  static func fewer<Value>(_ values: [Value]) -> [[Value]] {
    values.indices.map { index in
      var fewer = values
      fewer.remove(at: index)
      return fewer
    }
  }
}
