/// Reads the components of a key that ``OrderedKey`` made, or of bytes that only look like one.
package struct OrderedKeyReader {
  private let bytes: UnsafeRawBufferPointer
  /// The offset of the next component.
  package private(set) var offset = 0

  /// Makes a reader of a key; the bytes must stay as long as the reader and what it read are used.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether all bytes were read.
  package var isAtEnd: Bool { offset >= bytes.count }

  /// Skips the next component, given its type.
  ///
  /// - Returns: Whether the bytes have such a component.
  package mutating func skip(_ type: ValueType) -> Bool { next(type, isSkipping: true) != nil }

  /// Reads the next component into a row; bytes are borrowed from the key, or owned by the row where
  /// they must be changed.
  ///
  /// - Returns: Whether the bytes have such a component.
  package mutating func read(_ type: ValueType, into row: RowBuffer, column: Int) -> Bool {
    guard let component = next(type, isSkipping: false) else { return false }
    switch component {
    case .slot(let slot): row[column] = slot
    case .escaped(let escaped, let kind):
      let plain = OrderedKeyReader.unescaped(escaped)
      guard kind != .text || plain.withUnsafeBytes({ UTF8Validation.isValid($0) }) else {
        return false
      }
      plain.withUnsafeBytes { row.setBytes($0, kind: kind, column: column) }
    }
    return true
  }

  /// Reads the next component of an index entry, which may be null.
  ///
  /// - Returns: Whether the bytes have such a component.
  package mutating func readTagged(_ type: ValueType, into row: RowBuffer, column: Int) -> Bool {
    guard let isNull = tag(type) else { return false }
    if isNull {
      row[column] = ColumnSlot(.null)
      return true
    }
    return read(type, into: row, column: column)
  }

  /// Skips the next component of an index entry.
  ///
  /// - Returns: Whether the bytes have such a component.
  package mutating func skipTagged(_ type: ValueType) -> Bool {
    guard let isNull = tag(type) else { return false }
    return isNull || skip(type)
  }

  /// Reads the byte of the type: whether the value is null, or `nil` for another type.
  private mutating func tag(_ type: ValueType) -> Bool? {
    guard offset < bytes.count else { return nil }
    let rank = bytes[offset]
    guard rank == 0 || rank == type.orderRank else { return nil }
    offset += 1
    return rank == 0
  }

  private enum Component {
    case slot(ColumnSlot)
    case escaped(UnsafeRawBufferPointer, ColumnSlot.Kind)
  }

  private mutating func next(_ type: ValueType, isSkipping: Bool) -> Component? {
    switch type {
    case .bool:
      guard offset < bytes.count, bytes[offset] <= 1 else { return nil }
      defer { offset += 1 }
      return .slot(ColumnSlot(.bool, UInt64(bytes[offset])))
    case .integer:
      guard let word = word() else { return nil }
      return .slot(ColumnSlot(.integer, word ^ OrderedKey.signBit))
    case .double:
      guard let word = word() else { return nil }
      return .slot(
        ColumnSlot(.double, word & OrderedKey.signBit == 0 ? ~word : word ^ OrderedKey.signBit))
    case .date:
      guard let word = word(), let rest = halfWord(), rest < 1_000_000_000 else { return nil }
      return .slot(ColumnSlot(.date, word ^ OrderedKey.signBit, UInt64(rest)))
    case .uuid:
      guard let high = word(), let low = word() else { return nil }
      return .slot(ColumnSlot(.uuid, high, low))
    case .objectID:
      guard let high = word(), let low = halfWord() else { return nil }
      return .slot(ColumnSlot(.objectID, high, UInt64(low)))
    case .text, .json: return escaped(.text, isSkipping)
    case .decimal: return escaped(.decimal, isSkipping)
    case .data: return escaped(.data, isSkipping)
    case .any: return nil
    }
  }

  private mutating func escaped(_ kind: ColumnSlot.Kind, _ isSkipping: Bool) -> Component? {
    let start = offset
    var index = offset
    var hasEscape = false
    while index < bytes.count, bytes[index] != 0 {
      if bytes[index] == 1 {
        guard index + 1 < bytes.count, bytes[index + 1] == 1 || bytes[index + 1] == 2 else {
          return nil
        }
        hasEscape = true
        index += 1
      }
      index += 1
    }
    guard index < bytes.count else { return nil }
    offset = index + 1
    let content = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    if isSkipping { return .slot(ColumnSlot(.null)) }
    if hasEscape { return .escaped(content, kind) }
    if kind == .text, !UTF8Validation.isValid(content) { return nil }
    return .slot(ColumnSlot(kind, borrowing: content))
  }

  private mutating func word() -> UInt64? {
    guard bytes.count - offset >= 8 else { return nil }
    defer { offset += 8 }
    return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private mutating func halfWord() -> UInt32? {
    guard bytes.count - offset >= 4 else { return nil }
    defer { offset += 4 }
    return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  private static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if bytes[index] == 1, index + 1 < bytes.count {
        plain.append(bytes[index + 1] &- 1)
        index += 2
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    return plain
  }
}

extension ValueType {
  /// The place of the type's values in the order of all values; 255 for values of any type.
  package var orderRank: UInt8 {
    switch self {
    case .bool: 1
    case .integer, .double: 2
    case .decimal: 3
    case .date: 4
    case .text, .json: 5
    case .data: 6
    case .uuid: 7
    case .objectID: 8
    case .any: .max
    }
  }
}
