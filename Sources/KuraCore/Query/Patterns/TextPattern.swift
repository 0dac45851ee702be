/// A pattern of MATCHES, ready to be compared with whole texts.
///
/// A regular expression as ICU and NSPredicate write it, without what needs to go back in a text:
/// references to groups, looking around and possessive repetitions are refused. The time for a text is
/// at most the product of its length and the pattern's. A pattern belongs to one thread at a time.
package final class TextPattern {
  private let program: PatternProgram
  private let folder: TextFolder?
  /// The instructions to follow at this scalar and at the next one.
  private var current: [Int] = []
  private var following: [Int] = []
  /// For each instruction, the step in which it was last added.
  private var marks: [Int]
  private var step = 0
  private var pending: [Int] = []

  /// Reads a pattern.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` with the place, counted in characters from 1.
  package init(_ pattern: String, _ folding: TextComparison = []) throws(StoreError) {
    var parser = PatternParser(pattern, folding.normalized)
    let node = try parser.parse()
    do {
      program = try PatternProgram(node)
    } catch {
      throw StoreError(
        .invalidQuery, "the pattern of MATCHES is too large when its repetitions are written out",
        expected: "at most \(PatternProgram.maximumCount) steps",
        suggestion: "use * or + for repetitions of many")
    }
    folder = folding.normalized.isEmpty ? nil : TextFolder(folding)
    marks = Array(repeating: 0, count: program.instructions.count)
  }

  /// Whether the whole text fits.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    let text = folder.map { $0.fold(text) } ?? text
    current.removeAll(keepingCapacity: true)
    var position = 0
    var before: UInt32?
    add(0, before, at: 0, of: text)
    swap(&current, &following)
    while position < text.count {
      guard !current.isEmpty else { return false }
      let (scalar, length) = text.scalarOrByte(at: position)
      position += length
      following.removeAll(keepingCapacity: true)
      step &+= 1
      before = scalar
      for place in current {
        let fits =
          switch program.instructions[place] {
          case .scalar(let wanted): wanted == scalar
          case .set(let number): program.sets[number].contains(scalar)
          case .match, .place, .split, .jump: false
          }
        if fits { follow(place + 1, before, at: position, of: text) }
      }
      swap(&current, &following)
    }
    return current.contains { place in
      if case .match = program.instructions[place] { true } else { false }
    }
  }

  private func add(
    _ first: Int, _ before: UInt32?, at position: Int, of text: UnsafeRawBufferPointer
  ) {
    following.removeAll(keepingCapacity: true)
    step &+= 1
    follow(first, before, at: position, of: text)
  }

  /// Adds an instruction and all that is reached from it without a scalar.
  private func follow(
    _ first: Int, _ before: UInt32?, at position: Int, of text: UnsafeRawBufferPointer
  ) {
    pending.append(first)
    while let place = pending.popLast() {
      guard marks[place] != step else { continue }
      marks[place] = step
      switch program.instructions[place] {
      case .jump(let target): pending.append(target)
      case .split(let one, let other):
        pending.append(other)
        pending.append(one)
      case .place(let wanted):
        if TextPattern.isAt(wanted, before, position, text) { pending.append(place + 1) }
      case .scalar, .set, .match: following.append(place)
      }
    }
  }

  private static func isAt(
    _ place: PatternNode.Place, _ before: UInt32?, _ position: Int, _ text: UnsafeRawBufferPointer
  ) -> Bool {
    let next = position < text.count ? text.scalarOrByte(at: position) : nil
    switch place {
    case .start: return before == nil
    case .end: return next == nil
    case .beforeLastLineEnd:
      guard let next else { return true }
      let rest = text.count - position
      // The two bytes of one Windows line end are not parted.
      if next.0 == 0x0A, before == 0x0D { return false }
      return next.0.isLineEnd
        && (rest == next.1 || (rest == 2 && next.0 == 0x0D && text[position + 1] == 0x0A))
    case .lineStart:
      guard let before else { return true }
      return before.isLineEnd && next != nil && !(before == 0x0D && next?.0 == 0x0A)
    case .lineEnd:
      guard let next else { return true }
      return next.0.isLineEnd && !(before == 0x0D && next.0 == 0x0A)
    case .wordBoundary, .noWordBoundary:
      let isWordBefore = before?.isWordScalar ?? false
      let isWordAfter = next?.0.isWordScalar ?? false
      return (isWordBefore != isWordAfter) == (place == .wordBoundary)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The scalar at a position; a byte that is part of none as a value beyond all scalars.
  fileprivate func scalarOrByte(at position: Int) -> (UInt32, Int) {
    scalar(at: position) ?? (ScalarFolding.malformed + UInt32(self[position]), 1)
  }
}

extension UInt32 {
  /// Whether the scalar ends a line.
  var isLineEnd: Bool {
    switch self {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  fileprivate var isWordScalar: Bool {
    if self < 0x80 {
      return (0x30...0x39).contains(self) || (0x41...0x5A).contains(self)
        || (0x61...0x7A).contains(self) || self == 0x5F
    }
    return Unicode.Scalar(self).map { ScalarSet.Property.word.holds($0) } ?? false
  }
}
