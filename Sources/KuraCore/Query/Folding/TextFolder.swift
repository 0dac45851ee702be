/// Folds texts for comparisons that overlook case, accents, width or kana; reused from row to row.
///
/// A folder remembers what it found out about single scalars, so that a text costs about a look into
/// a table for each scalar. It allocates nothing for a row once its buffer has grown to the largest
/// text. It belongs to one thread at a time.
package final class TextFolder {
  /// What is known about a scalar.
  private enum Entry {
    static let unknown: UInt32 = 0
    /// It stays as it is.
    static let same: UInt32 = 1
    /// It may act on what is before it, so the whole text must be looked at.
    static let joins: UInt32 = 2
    /// From here on the place of its bytes in ``replacements``, after their count.
    static let first: UInt32 = 3
  }

  private let foldsCase: Bool
  private let isIdentity: Bool
  private let comparison: TextComparison
  private var folding: ScalarFolding
  /// For each 256 scalars of the first two planes, what is known about them.
  private var pages: [UnsafeMutablePointer<UInt32>?]
  private var replacements: [UInt8] = []
  private var scalars: [UInt32] = []
  private var buffer: UnsafeMutableRawPointer
  private var capacity = 256
  private var count = 0

  /// Makes a folder.
  package init(_ comparison: TextComparison) {
    self.comparison = comparison.normalized
    isIdentity = self.comparison.isEmpty
    foldsCase = comparison.contains(.caseInsensitive)
    folding = ScalarFolding(self.comparison)
    pages = Array(repeating: nil, count: 512)
    buffer = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit {
    for page in pages { page?.deallocate() }
    buffer.deallocate()
  }

  /// The folded bytes of a text; valid until the next call.
  ///
  /// Bytes that are no UTF-8 stay as they are.
  package func fold(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard !isIdentity else { return bytes }
    count = 0
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x80 {
        append(foldsCase && byte &- 0x41 < 26 ? byte | 0x20 : byte)
        position += 1
        continue
      }
      guard let (scalar, length) = bytes.scalar(at: position) else {
        append(byte)
        position += 1
        continue
      }
      switch entry(scalar) {
      case Entry.same:
        append(UnsafeRawBufferPointer(rebasing: bytes[position..<position + length]))
      case Entry.joins: return foldSlowly(bytes)
      case let place: appendReplacement(Int(place - Entry.first))
      }
      position += length
    }
    return UnsafeRawBufferPointer(start: buffer, count: count)
  }

  private func entry(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    // Scripts of many letters that are equal to themselves only.
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: return Entry.same
    case 0x2_0000...: return 0x2_F800...0x2_FA1F ~= scalar ? Entry.joins : Entry.same
    default: break
    }
    let page: UnsafeMutablePointer<UInt32>
    if let known = pages[Int(scalar >> 8)] {
      page = known
    } else {
      page = .allocate(capacity: 256)
      page.initialize(repeating: Entry.unknown, count: 256)
      pages[Int(scalar >> 8)] = page
    }
    let known = page[Int(scalar & 255)]
    if known != Entry.unknown { return known }
    let found = findEntry(scalar)
    page[Int(scalar & 255)] = found
    return found
  }

  private func findEntry(_ scalar: UInt32) -> UInt32 {
    let folded = folding.fold([scalar])
    for part in [scalar] + folded.prefix(1) where part.mayJoin { return Entry.joins }
    if folded == [scalar] { return Entry.same }
    let place = replacements.count
    var bytes: [UInt8] = []
    for part in folded { bytes += UInt32.utf8(part) }
    replacements.append(UInt8(truncatingIfNeeded: bytes.count))
    replacements += bytes
    return Entry.first + UInt32(truncatingIfNeeded: place)
  }

  /// Folds a text in which letters and marks act on each other.
  private func foldSlowly(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    scalars.removeAll(keepingCapacity: true)
    var position = 0
    while position < bytes.count {
      if let (scalar, length) = bytes.scalar(at: position) {
        scalars.append(scalar)
        position += length
      } else {
        scalars.append(ScalarFolding.malformed + UInt32(bytes[position]))
        position += 1
      }
    }
    count = 0
    for scalar in folding.fold(scalars) {
      if scalar >= ScalarFolding.malformed {
        append(UInt8(truncatingIfNeeded: scalar - ScalarFolding.malformed))
      } else {
        UInt32.utf8(scalar).withUnsafeBytes { append($0) }
      }
    }
    return UnsafeRawBufferPointer(start: buffer, count: count)
  }

  // MARK: The buffer

  private func append(_ byte: UInt8) {
    if count == capacity { grow(1) }
    buffer.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    if count + bytes.count > capacity { grow(bytes.count) }
    guard let start = bytes.baseAddress else { return }
    (buffer + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  private func appendReplacement(_ place: Int) {
    for offset in 0..<Int(replacements[place]) { append(replacements[place + 1 + offset]) }
  }

  private func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    moved.copyMemory(from: buffer, byteCount: count)
    buffer.deallocate()
    (buffer, capacity) = (moved, larger)
  }
}

extension UInt32 {
  /// Whether a scalar may act on what is before it: a mark, or the second half of a letter.
  var mayJoin: Bool {
    guard let scalar = Unicode.Scalar(self) else { return false }
    return scalar.properties.canonicalCombiningClass != .notReordered
      || scalar.properties.generalCategory == .nonspacingMark
      || CanonicalMappings.canFollow(self)
  }

  fileprivate static func utf8(_ scalar: UInt32) -> [UInt8] {
    Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? []
  }
}

extension UnsafeRawBufferPointer {
  /// The scalar at a position and its count of bytes; `nil` when there is no well-formed one.
  func scalar(at position: Int) -> (UInt32, Int)? {
    let first = UInt32(self[position])
    let length: Int
    var scalar: UInt32
    switch first {
    case 0..<0x80: return (first, 1)
    case 0xC2...0xDF: (length, scalar) = (2, first & 0x1F)
    case 0xE0...0xEF: (length, scalar) = (3, first & 0x0F)
    case 0xF0...0xF4: (length, scalar) = (4, first & 0x07)
    default: return nil
    }
    guard position + length <= count else { return nil }
    for offset in 1..<length {
      let byte = UInt32(self[position + offset])
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | (byte & 0x3F)
    }
    let isShortest = length == 2 || scalar >= (length == 3 ? 0x800 : 0x1_0000)
    guard isShortest, Unicode.Scalar(scalar) != nil else { return nil }
    return (scalar, length)
  }
}
