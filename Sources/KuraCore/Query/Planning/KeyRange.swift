/// The keys from a lower bound on up to, and without, an upper one, as `memcmp` orders them.
///
/// Every bound of a condition has this form, because no ``OrderedKey`` component begins another one:
/// what comes after a value begins with the least string that the value's bytes do not begin.
/// No bound is longer than ``OrderedKey/longestBound``, so that it can be sought in databases whose
/// longer keys are cut.
package struct KeyRange: Sendable, Hashable {
  /// The least key; empty for none.
  package var lower: [UInt8]
  /// The first key that is too great; `nil` for none.
  package var upper: [UInt8]?

  /// Makes a range.
  package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys.
  package static let all = KeyRange()

  /// Whether no key is in it.
  package var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }

  /// Whether a key is in it.
  package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    guard !key.lexicographicallyPrecedes(lower) else { return false }
    guard let upper else { return true }
    return key.lexicographicallyPrecedes(upper)
  }
}
