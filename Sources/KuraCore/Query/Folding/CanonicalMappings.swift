/// Canonical equivalence of Unicode: how scalars are taken apart and put together.
///
/// The standard library has the classes of marks but gives no public access to the mappings, and
/// FoundationEssentials has none, so a table of them comes with the package.
package enum CanonicalMappings {
  /// A scalar that is equivalent to others.
  private struct Entry {
    var source: UInt32
    /// Where the others begin in ``Mappings/parts``.
    var start: Int
    var count: Int
  }

  private struct Mappings {
    /// Ascending by source.
    var entries: [Entry] = []
    var parts: [UInt32] = []
    /// What two scalars, the first in the upper half, are put together to.
    var compositions: [UInt64: UInt32] = [:]
    /// The scalars that can be put together with one before them.
    var seconds: Set<UInt32> = []
  }

  private static let mappings = decode()

  /// Adds the scalars that a scalar is fully taken apart to, or the scalar itself.
  static func decompose(_ scalar: UInt32, into result: inout [UInt32]) {
    guard scalar >= 0xC0 else { return result.append(scalar) }
    if Hangul.isSyllable(scalar) { return Hangul.decompose(scalar, into: &result) }
    guard let entry = entry(scalar) else { return result.append(scalar) }
    for index in entry.start..<entry.start + entry.count {
      decompose(mappings.parts[index], into: &result)
    }
  }

  /// What two neighbours are put together to, if anything.
  static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
    Hangul.composition(first, second) ?? mappings.compositions[UInt64(first) << 32 | UInt64(second)]
  }

  /// Whether a scalar can be put together with one before it.
  static func canFollow(_ scalar: UInt32) -> Bool {
    Hangul.vowels.contains(scalar) || Hangul.trailing.contains(scalar)
      || mappings.seconds.contains(scalar)
  }

  /// The canonical combining class of a scalar; 0 for what does not move.
  static func combiningClass(_ scalar: UInt32) -> UInt8 {
    guard scalar >= 0x300, let scalar = Unicode.Scalar(scalar) else { return 0 }
    return scalar.properties.canonicalCombiningClass.rawValue
  }

  private static func entry(_ scalar: UInt32) -> Entry? {
    var (low, high) = (0, mappings.entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      let entry = mappings.entries[middle]
      if entry.source == scalar { return entry }
      if entry.source < scalar { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Reads ``table``.
  private static func decode() -> Mappings {
    var mappings = Mappings()
    var entry = Entry(source: 0, start: 0, count: 0)
    var isNamed = false
    var isComposed = true
    var number: UInt32 = 0
    table.withUTF8Buffer { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "="):
          (entry.source, number, isNamed) = (number, 0, true)
        case UInt8(ascii: "!"): isComposed = false
        case UInt8(ascii: "+"), UInt8(ascii: ","):
          mappings.parts.append(number)
          number = 0
          guard byte == UInt8(ascii: ",") else { continue }
          if !isNamed { entry.source += 1 }
          entry.count = mappings.parts.count - entry.start
          mappings.entries.append(entry)
          if isComposed, entry.count == 2 {
            let (first, second) = (mappings.parts[entry.start], mappings.parts[entry.start + 1])
            mappings.compositions[UInt64(first) << 32 | UInt64(second)] = entry.source
            mappings.seconds.insert(second)
          }
          entry.start = mappings.parts.count
          (isNamed, isComposed) = (false, true)
        default: number = number << 4 | UInt32(byte < 58 ? byte - 48 : byte - 87)
        }
      }
    }
    return mappings
  }
}

/// Korean syllables, whose parts are computed.
enum Hangul {
  static let vowels: Range<UInt32> = 0x1161..<0x1176
  static let trailing: Range<UInt32> = 0x11A8..<0x11C3
  private static let leading: Range<UInt32> = 0x1100..<0x1113
  private static let syllables: Range<UInt32> = 0xAC00..<0xD7A4

  static func isSyllable(_ scalar: UInt32) -> Bool { syllables.contains(scalar) }

  static func decompose(_ scalar: UInt32, into result: inout [UInt32]) {
    let index = scalar - syllables.lowerBound
    result.append(leading.lowerBound + index / 588)
    result.append(vowels.lowerBound + index % 588 / 28)
    if index % 28 != 0 { result.append(trailing.lowerBound - 1 + index % 28) }
  }

  static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if leading.contains(first), vowels.contains(second) {
      let index = (first - leading.lowerBound) * 21 + (second - vowels.lowerBound)
      return syllables.lowerBound + index * 28
    }
    if syllables.contains(first), (first - syllables.lowerBound) % 28 == 0,
      trailing.contains(second)
    {
      return first + (second - trailing.lowerBound) + 1
    }
    return nil
  }
}
