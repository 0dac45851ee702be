extension OrderedKey {
  /// The longest key of a database; longer ones are cut (docs/file-formats.md, "Ordered keys").
  package static let longestKey = 511
  /// The bytes of a cut key that are those of the whole one; a hash of the whole follows.
  package static let keptOfCutKey = 479
  /// The longest bound of a range: cut keys order like whole ones up to here.
  package static let longestBound = keptOfCutKey
}
