#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ColumnSlot {
  /// The value as an owned value.
  @inline(__always)
  package var value: StoredValue {
    switch kind {
    case .null: return .null
    case .bool: return .bool(word0 != 0)
    case .integer: return .integer(integer)
    case .double: return .double(double)
    case .decimal:
      // What cannot be read stays visible as text.
      return Decimal(sortableText: bytes).map { .decimal($0) }
        ?? .text(String(decoding: bytes, as: UTF8.self))
    case .date:
      guard
        let time = Timestamp(seconds: integer, nanoseconds: UInt32(truncatingIfNeeded: word1))
      else { return .null }
      return .date(time)
    case .text: return .text(String(validUTF8: bytes))
    case .malformedText: return .malformedText(Array(bytes))
    case .data: return .data(Array(bytes))
    case .uuid: return .uuid(UUID(high: word0, low: word1))
    case .objectID:
      return .objectID(ObjectID(high: word0, low: UInt32(truncatingIfNeeded: word1)))
    }
  }
}

extension RowBuffer {
  /// The value of a column as an owned value.
  public func value(at column: Int) -> StoredValue { self[column].value }

  /// Puts a value into a column; bytes are copied into the buffer.
  public func setValue(_ value: StoredValue, at column: Int) {
    switch value {
    case .null: self[column] = ColumnSlot(.null)
    case .bool(let value): self[column] = ColumnSlot(.bool, value ? 1 : 0)
    case .integer(let value): self[column] = ColumnSlot(.integer, UInt64(bitPattern: value))
    case .double(let value): self[column] = ColumnSlot(.double, value.bitPattern)
    case .decimal(let value): setText(value.sortableText, kind: .decimal, column: column)
    case .date(let value):
      self[column] = ColumnSlot(
        .date, UInt64(bitPattern: value.seconds), UInt64(value.nanoseconds))
    case .text(let value): setText(value, kind: .text, column: column)
    case .malformedText(let bytes):
      bytes.withUnsafeBytes { setBytes($0, kind: .malformedText, column: column) }
    case .data(let bytes): bytes.withUnsafeBytes { setBytes($0, kind: .data, column: column) }
    case .uuid(let value):
      let (high, low) = value.words
      self[column] = ColumnSlot(.uuid, high, low)
    case .objectID(let value):
      self[column] = ColumnSlot(.objectID, value.high, UInt64(value.low))
    }
  }

  /// Copies a slot into a column, with the bytes that it borrows.
  package func copy(_ slot: ColumnSlot, to column: Int) {
    if slot.kind.isBorrowed {
      setBytes(slot.bytes, kind: slot.kind, column: column)
    } else {
      self[column] = slot
    }
  }

  private func setText(_ text: String, kind: ColumnSlot.Kind, column: Int) {
    var text = text
    text.withUTF8 { setBytes(UnsafeRawBufferPointer($0), kind: kind, column: column) }
  }
}

extension UUID {
  /// Makes an identifier of two big-endian words.
  package init(high: UInt64, low: UInt64) {
    let bytes = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      $0.loadUnaligned(as: uuid_t.self)
    }
    self.init(uuid: bytes)
  }

  /// The identifier as two big-endian words.
  package var words: (high: UInt64, low: UInt64) {
    withUnsafeBytes(of: uuid) { bytes in
      (
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }
}
