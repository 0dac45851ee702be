/// The candidate that a misspelt word most probably meant, if one is near enough.
///
/// Letter case does not count; a third of the letters may differ, at most three.
package func closestMatch(_ word: String, in candidates: some Sequence<String>) -> String? {
  let given = Array(word.lowercased().unicodeScalars.prefix(64))
  let allowed = min(3, max(1, given.count / 3))
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let scalars = Array(candidate.lowercased().unicodeScalars.prefix(64))
    guard abs(scalars.count - given.count) <= allowed else { continue }
    let distance = editDistance(given, scalars)
    if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.candidate
}

/// The least number of letters to insert, delete, replace or swap with the next one.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  var beforePrevious = [Int](repeating: 0, count: right.count + 1)
  var previous = Array(0...right.count)
  for row in 1...left.count {
    var current = [row] + [Int](repeating: 0, count: right.count)
    for column in 1...right.count {
      let isSame = left[row - 1] == right[column - 1]
      current[column] = min(
        previous[column] + 1, current[column - 1] + 1,
        previous[column - 1] + (isSame ? 0 : 1))
      if row > 1, column > 1, left[row - 1] == right[column - 2],
        left[row - 2] == right[column - 1]
      {
        current[column] = min(current[column], beforePrevious[column - 2] + 1)
      }
    }
    (beforePrevious, previous) = (previous, current)
  }
  return previous[right.count]
}
