#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The text operators of conditions on bytes; every backend uses these.
package enum TextMatching {
  /// Whether the right bytes occur in the left ones; no bytes occur everywhere.
  package static func contains(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Bool
  {
    guard let needle = right.baseAddress, right.count > 0 else { return true }
    guard var hay = left.baseAddress else { return false }
    var rest = left.count
    while rest >= right.count,
      let found = memchr(hay, Int32(right[0]), rest - right.count + 1)
    {
      if memcmp(found, needle, right.count) == 0 { return true }
      let next = UnsafeRawPointer(found) + 1
      rest -= next - hay
      hay = next
    }
    return false
  }

  /// Whether the left bytes begin with the right ones.
  package static func begins(
    _ left: UnsafeRawBufferPointer, with right: UnsafeRawBufferPointer
  ) -> Bool {
    left.count >= right.count && equal(left.prefix(right.count), right[...])
  }

  /// Whether the left bytes end with the right ones.
  package static func ends(_ left: UnsafeRawBufferPointer, with right: UnsafeRawBufferPointer)
    -> Bool
  {
    left.count >= right.count && equal(left.suffix(right.count), right[...])
  }

  /// Whether text fits a pattern: `*` is any run, `?` one character, `\` takes the next literally.
  ///
  /// Remembers only the last `*`, so the time is at most the product of the lengths.
  package static func like(
    _ text: UnsafeRawBufferPointer, pattern: UnsafeRawBufferPointer
  ) -> Bool {
    var position = 0
    var place = 0
    var retry: (place: Int, position: Int)?
    while position < text.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        retry = (place, position)
        place += 1
        continue
      }
      if place < pattern.count, let step = step(text, position, pattern, place) {
        position += step.text
        place += step.pattern
        continue
      }
      guard let last = retry else { return false }
      let next = last.position + characterLength(text, last.position)
      retry = (last.place, next)
      position = next
      place = last.place + 1
    }
    while place < pattern.count, pattern[place] == UInt8(ascii: "*") { place += 1 }
    return place == pattern.count
  }

  /// How far one character of text and its pattern go together; `nil` when they differ.
  private static func step(
    _ text: UnsafeRawBufferPointer, _ position: Int, _ pattern: UnsafeRawBufferPointer,
    _ place: Int
  ) -> (text: Int, pattern: Int)? {
    switch pattern[place] {
    case UInt8(ascii: "?"): return (characterLength(text, position), 1)
    case UInt8(ascii: "\\") where place + 1 < pattern.count:
      return text[position] == pattern[place + 1] ? (1, 2) : nil
    default: return text[position] == pattern[place] ? (1, 1) : nil
    }
  }

  /// The bytes of the character at a position; a malformed one counts as one byte.
  private static func characterLength(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
    let expected: Int
    switch text[position] {
    case 0xC2...0xDF: expected = 2
    case 0xE0...0xEF: expected = 3
    case 0xF0...0xF4: expected = 4
    default: return 1
    }
    guard position + expected <= text.count else { return 1 }
    for offset in 1..<expected where text[position + offset] & 0xC0 != 0x80 { return 1 }
    return expected
  }

  private static func equal(
    _ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    let (left, right) = (
      UnsafeRawBufferPointer(rebasing: left), UnsafeRawBufferPointer(rebasing: right)
    )
    guard left.count > 0, let first = left.baseAddress, let second = right.baseAddress else {
      return left.count == right.count
    }
    return left.count == right.count && memcmp(first, second, left.count) == 0
  }
}
