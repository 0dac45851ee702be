// Writes Sources/KuraCore/Query/Folding/CanonicalMappings+Table.swift from the Unicode data of the
// Foundation at hand. Run it as
//
//   swift tools/make-decompositions.swift > Sources/KuraCore/Query/Folding/CanonicalMappings+Table.swift
import Foundation

func decomposition(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
  Array(String(Character(scalar)).decomposedStringWithCanonicalMapping.unicodeScalars)
}

func composition(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
  Array(
    String(String.UnicodeScalarView(scalars)).precomposedStringWithCanonicalMapping.unicodeScalars)
}

var entries: [String] = []
var previous: UInt32 = 0
for value in 0x80...0x10FFFF as ClosedRange<UInt32> where !(0xAC00...0xD7A3).contains(value) {
  guard let scalar = Unicode.Scalar(value) else { continue }
  let whole = decomposition(scalar)
  guard whole != [scalar] else { continue }
  // One step: what is before the last scalar, put together again.
  var parts = whole
  if whole.count > 2 {
    let head = composition(Array(whole.dropLast()))
    if head.count == 1 { parts = [head[0], whole[whole.count - 1]] }
  }
  let isComposed = parts.count == 2 && composition(whole) == [scalar]
  let source = value == previous + 1 ? "" : String(value, radix: 16) + "="
  let mark = parts.count > 1 && !isComposed ? "!" : ""
  entries.append(
    source + mark + parts.map { String($0.value, radix: 16) }.joined(separator: "+"))
  previous = value
}

var lines: [String] = []
var line = ""
for entry in entries {
  if line.count + entry.count + 2 > 93 {
    lines.append(line)
    line = ""
  }
  line += entry + ","
}
lines.append(line)

print(
  """
  // Made by tools/make-decompositions.swift; not to be edited.

  extension CanonicalMappings {
    /// The scalars that are canonically equivalent to others, in one step each.
    ///
    /// Numbers are hexadecimal. An entry is `source=first+second` or `source=single`, without its
    /// source when that is one more than the source before. After `!` comes what is taken apart but
    /// never put together.
    static let table: StaticString = \"\"\"
  """)
print(lines.map { "    " + $0 }.joined(separator: "\\\n"))
print("    \"\"\"\n}")
