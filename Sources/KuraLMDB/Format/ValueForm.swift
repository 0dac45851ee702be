import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a value of a type looks inside a record: docs/file-formats.md, "LMDB", "Payloads".
enum ValueForm: UInt8 {
  case bool, integer, double, decimal, date, text, data, uuid, objectID
  /// A byte for the type, then the payload of that type.
  case any

  init(_ type: ValueType) {
    self =
      switch type {
      case .bool: .bool
      case .integer: .integer
      case .double: .double
      case .decimal: .decimal
      case .date: .date
      case .text, .json: .text
      case .data: .data
      case .uuid: .uuid
      case .objectID: .objectID
      case .any: .any
      }
  }

  /// The form of a byte in front of a payload; `nil` for bytes that stand for nothing.
  init?(tag: UInt8) {
    switch tag {
    case 1: self = .bool
    case 2: self = .integer
    case 3: self = .decimal
    case 4: self = .date
    case 5: self = .text
    case 6: self = .data
    case 7: self = .uuid
    case 8: self = .objectID
    case 9: self = .double
    default: return nil
    }
  }

  /// The byte that stands for a slot's type in front of its payload.
  static func tag(_ slot: ColumnSlot) -> UInt8 {
    slot.kind == .double ? 9 : slot.orderRank
  }

  /// Whether a property of any type takes values of this form.
  var isTakenByAny: Bool {
    switch self {
    case .integer, .double, .text, .data: true
    case .bool, .decimal, .date, .uuid, .objectID, .any: false
    }
  }

  /// Whether a payload may have more bytes than a length of one byte can say.
  var mayBeLong: Bool {
    switch self {
    case .text, .data, .any: true
    case .bool, .integer, .double, .decimal, .date, .uuid, .objectID: false
    }
  }

  /// A kind of slot whose every value may be written to a property of this form, if there is one.
  var plainKind: ColumnSlot.Kind? {
    switch self {
    case .bool: .bool
    case .integer, .any: .integer
    case .decimal: .decimal
    case .date: .date
    case .text: .text
    case .data: .data
    case .uuid: .uuid
    case .objectID: .objectID
    case .double: nil
    }
  }

  /// Whether a slot may be written to a property of this form.
  @inline(__always)
  func accepts(_ slot: ColumnSlot) -> Bool {
    switch (self, slot.kind) {
    case (_, .null), (.bool, .bool), (.integer, .integer), (.decimal, .decimal), (.date, .date),
      (.text, .text), (.data, .data), (.uuid, .uuid), (.objectID, .objectID), (.any, .integer),
      (.any, .text), (.any, .data):
      true
    case (.double, .double), (.any, .double): !slot.double.isNaN
    default: false
    }
  }
}

// MARK: Writing

extension ValueForm {
  /// The bytes that a slot's payload takes; null takes none.
  @inline(__always)
  func byteCount(_ slot: ColumnSlot) -> Int {
    // Comparisons, the most frequent first: a jump through a table is harder to foresee.
    if self == .integer { return ValueForm.width(slot.word0) }
    if self == .text { return Int(truncatingIfNeeded: slot.word1) }
    return otherByteCount(slot)
  }

  @inline(__always)
  private func otherByteCount(_ slot: ColumnSlot) -> Int {
    let plain: Int
    switch slot.kind {
    case .null: return 0
    case .bool: plain = slot.word0 == 0 ? 0 : 1
    case .integer: plain = ValueForm.width(slot.word0)
    case .double: plain = slot.word0 == 0 ? 0 : 8 - slot.word0.trailingZeroBitCount / 8
    case .date: plain = slot.word1 == 0 ? ValueForm.width(slot.word0) : 12
    case .decimal, .text, .malformedText, .data: plain = Int(truncatingIfNeeded: slot.word1)
    case .uuid: plain = 16
    case .objectID: plain = 12
    }
    return self == .any ? plain + 1 : plain
  }

  /// Writes a payload of ``byteCount(_:)`` bytes; up to eight bytes more may be written to.
  @inline(__always)
  func write(_ slot: ColumnSlot, _ byteCount: Int, to target: UnsafeMutableRawPointer) {
    if self == .integer {
      return unsafe target.storeBytes(of: slot.word0.littleEndian, as: UInt64.self)
    }
    guard self == .any else { return unsafe ValueForm.write(slot, byteCount, target) }
    guard byteCount > 0 else { return }
    unsafe target.storeBytes(of: ValueForm.tag(slot), as: UInt8.self)
    unsafe ValueForm.write(slot, byteCount - 1, target + 1)
  }

  @inline(__always)
  private static func write(
    _ slot: ColumnSlot, _ byteCount: Int, _ target: UnsafeMutableRawPointer
  ) {
    switch slot.kind {
    case .null: break
    case .bool, .integer:
      unsafe target.storeBytes(of: slot.word0.littleEndian, as: UInt64.self)
    case .double:
      unsafe target.storeBytes(of: slot.word0.bigEndian, as: UInt64.self)
    case .date:
      unsafe target.storeBytes(of: slot.word0.littleEndian, as: UInt64.self)
      if slot.word1 != 0 {
        unsafe target.storeBytes(
          of: UInt32(truncatingIfNeeded: slot.word1).littleEndian, toByteOffset: 8,
          as: UInt32.self)
      }
    case .decimal, .text, .malformedText, .data:
      if byteCount > 0, let source = unsafe slot.bytes.baseAddress {
        unsafe target.copyMemory(from: source, byteCount: byteCount)
      }
    case .uuid:
      unsafe target.storeBytes(of: slot.word0.bigEndian, as: UInt64.self)
      unsafe target.storeBytes(of: slot.word1.bigEndian, toByteOffset: 8, as: UInt64.self)
    case .objectID:
      unsafe target.storeBytes(of: slot.word0.bigEndian, as: UInt64.self)
      unsafe target.storeBytes(
        of: UInt32(truncatingIfNeeded: slot.word1).bigEndian, toByteOffset: 8, as: UInt32.self)
    }
  }

  /// The bytes of the shortest two's complement of a number; none for 0.
  @inline(__always)
  private static func width(_ word: UInt64) -> Int {
    if word == 0 { return 0 }
    let number = Int64(bitPattern: word)
    return (72 - (number ^ (number >> 63)).leadingZeroBitCount) / 8
  }
}

// MARK: Reading

extension ValueForm {
  /// Reads a payload into a slot, which borrows text and data.
  ///
  /// - Parameters:
  ///   - base: The first byte of what holds the payload, all of which may be read.
  ///   - offset: Where the payload begins.
  ///   - byteCount: The bytes of the payload.
  /// - Returns: Whether the bytes are of the form.
  @inline(__always)
  func read(
    _ base: UnsafeRawPointer, _ offset: Int, _ byteCount: Int,
    into slot: UnsafeMutablePointer<ColumnSlot>
  ) -> Bool {
    // Comparisons, the most frequent first: a jump through a table is harder to foresee.
    if self == .integer {
      guard byteCount <= 8 else { return false }
      unsafe slot.pointee = ColumnSlot(.integer, ValueForm.integer(base, offset, byteCount))
      return true
    }
    if self == .text {
      let start = unsafe base + offset
      guard
        unsafe UTF8Validation.isASCII(start, byteCount) || ValueForm.isValidText(start, byteCount)
      else { return false }
      unsafe slot.pointee = ColumnSlot(
        .text, UInt64(UInt(bitPattern: start)), UInt64(truncatingIfNeeded: byteCount))
      return true
    }
    if self == .double {
      guard byteCount <= 8 else { return false }
      let bits = unsafe ValueForm.double(base, offset, byteCount)
      guard !Double(bitPattern: bits).isNaN else { return false }
      unsafe slot.pointee = ColumnSlot(.double, bits)
      return true
    }
    guard let rare = unsafe readRare(base, offset, byteCount) else { return false }
    unsafe slot.pointee = rare
    return true
  }

  /// Whether a text of eight bytes or more is ASCII.
  ///
  /// It is written here once more, because another module's would be called and not be inlined.
  @inline(__always)
  private static func isASCII(_ start: UnsafeRawPointer, _ byteCount: Int) -> Bool {
    guard byteCount >= 8 else { return false }
    let last = unsafe start + (byteCount &- 8)
    let high: UInt64 = 0x8080_8080_8080_8080
    var next = unsafe start
    // It ends early so that the compiler makes no vectors of it: most texts are too short for them.
    while unsafe next < last {
      guard unsafe next.loadUnaligned(as: UInt64.self) & high == 0 else { return false }
      unsafe next += 8
    }
    return unsafe last.loadUnaligned(as: UInt64.self) & high == 0
  }

  @inline(never)
  private static func isValidText(_ start: UnsafeRawPointer, _ byteCount: Int) -> Bool {
    unsafe UTF8Validation.isValid(UnsafeRawBufferPointer(start: start, count: byteCount))
  }

  /// The forms that are rare or need more work.
  @inline(never)
  private func readRare(_ base: UnsafeRawPointer, _ offset: Int, _ byteCount: Int)
    -> ColumnSlot?
  {
    let start = unsafe base + offset
    switch self {
    case .bool:
      if byteCount == 0 { return ColumnSlot(.bool, 0) }
      guard byteCount == 1, unsafe start.load(as: UInt8.self) == 1 else { return nil }
      return ColumnSlot(.bool, 1)
    case .date:
      var nanoseconds: UInt32 = 0
      if byteCount == 12 {
        nanoseconds = unsafe UInt32(
          littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      } else if byteCount > 8 {
        return nil
      }
      let word = unsafe ValueForm.integer(base, offset, min(byteCount, 8))
      guard Timestamp(seconds: Int64(bitPattern: word), nanoseconds: nanoseconds) != nil else {
        return nil
      }
      return ColumnSlot(.date, word, UInt64(nanoseconds))
    case .decimal:
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
      guard unsafe Decimal(sortableText: bytes) != nil else { return nil }
      return unsafe ColumnSlot(.decimal, borrowing: bytes)
    case .uuid:
      guard byteCount == 16 else { return nil }
      let words = unsafe (
        start.loadUnaligned(as: UInt64.self),
        start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      )
      return ColumnSlot(.uuid, UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
    case .objectID:
      guard byteCount == 12 else { return nil }
      let high = unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
      let low = unsafe UInt32(
        bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      return ColumnSlot(.objectID, high, UInt64(low))
    case .any:
      guard byteCount > 0, let form = unsafe ValueForm(tag: start.load(as: UInt8.self)),
        form.isTakenByAny
      else { return nil }
      var slot = ColumnSlot(.null)
      return unsafe form.read(base, offset + 1, byteCount - 1, into: &slot) ? slot : nil
    case .data:
      return unsafe ColumnSlot(
        .data, borrowing: UnsafeRawBufferPointer(start: start, count: byteCount))
    case .integer, .double, .text:
      var slot = ColumnSlot(.null)
      return unsafe read(base, offset, byteCount, into: &slot) ? slot : nil
    }
  }

  /// Reads a payload of a frequent form without a call: what loops over records need.
  ///
  /// - Parameters:
  ///   - end: The byte after the payload, with eight bytes before it that may be read.
  /// - Returns: Whether it was read; what was not is read by ``read(_:_:_:into:)``.
  @inline(__always)
  func readShort(
    _ end: UnsafeRawPointer, _ byteCount: Int, into slot: UnsafeMutablePointer<ColumnSlot>
  ) -> Bool {
    if self == .integer {
      guard byteCount <= 8 else { return false }
      let word = unsafe Int64(littleEndian: (end - 8).loadUnaligned(as: Int64.self))
      // All bits of a number without bytes are shifted out.
      let value = byteCount == 0 ? 0 : word &>> Int64(truncatingIfNeeded: 64 &- 8 &* byteCount)
      unsafe slot.pointee = ColumnSlot(.integer, UInt64(bitPattern: value))
      return true
    }
    if self == .text {
      let start = unsafe end - byteCount
      if byteCount < 8 {
        // The bytes before the text are shifted out.
        let word = unsafe UInt64(littleEndian: (end - 8).loadUnaligned(as: UInt64.self))
        let text = word >> UInt64(truncatingIfNeeded: 64 &- 8 &* byteCount)
        guard text & 0x8080_8080_8080_8080 == 0 else { return false }
      } else {
        guard unsafe ValueForm.isASCII(start, byteCount) else { return false }
      }
      unsafe slot.pointee = ColumnSlot(
        .text, UInt64(UInt(bitPattern: start)), UInt64(truncatingIfNeeded: byteCount))
      return true
    }
    if self == .double {
      guard byteCount <= 8 else { return false }
      let word = unsafe UInt64(bigEndian: (end - 8).loadUnaligned(as: UInt64.self))
      let bits =
        byteCount == 0 ? 0 : word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* byteCount)
      unsafe slot.pointee = ColumnSlot(.double, bits)
      return !Double(bitPattern: bits).isNaN
    }
    return false
  }

  /// The number of up to eight little-endian bytes, whose highest bit is the sign.
  ///
  /// Eight bytes that end with the number's last one are read at once where there are so many.
  @inline(__always)
  private static func integer(_ base: UnsafeRawPointer, _ offset: Int, _ byteCount: Int)
    -> UInt64
  {
    if byteCount == 0 { return 0 }
    let unused = UInt64(truncatingIfNeeded: 64 &- 8 &* byteCount)
    let first = offset &+ byteCount &- 8
    guard first >= 0 else { return unsafe shortInteger(base + offset, byteCount) }
    let word = unsafe UInt64(
      littleEndian: base.loadUnaligned(fromByteOffset: first, as: UInt64.self))
    return UInt64(bitPattern: Int64(bitPattern: word) &>> Int64(bitPattern: unused))
  }

  @inline(never)
  private static func shortInteger(_ start: UnsafeRawPointer, _ byteCount: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<byteCount {
      word |= unsafe UInt64(start.load(fromByteOffset: index, as: UInt8.self)) << (8 * index)
    }
    let unused = 64 - 8 * byteCount
    return UInt64(bitPattern: Int64(bitPattern: word << unused) >> unused)
  }

  /// The bit pattern of up to eight big-endian bytes, zeros after them.
  @inline(__always)
  private static func double(_ base: UnsafeRawPointer, _ offset: Int, _ byteCount: Int)
    -> UInt64
  {
    if byteCount == 0 { return 0 }
    let first = offset &+ byteCount &- 8
    guard first >= 0 else { return unsafe shortDouble(base + offset, byteCount) }
    let word = unsafe UInt64(
      bigEndian: base.loadUnaligned(fromByteOffset: first, as: UInt64.self))
    return word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* byteCount)
  }

  @inline(never)
  private static func shortDouble(_ start: UnsafeRawPointer, _ byteCount: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<byteCount {
      word |= unsafe UInt64(start.load(fromByteOffset: index, as: UInt8.self)) << (56 - 8 * index)
    }
    return word
  }
}
