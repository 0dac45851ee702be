/// One value of a row in transit, without allocation: a kind and sixteen bytes.
///
/// Text and bytes are borrowed: they stay valid until the cursor that filled the slot moves on, or
/// until the ``RowBuffer`` that owns them is reset.
public struct ColumnSlot: BitwiseCopyable {
  /// The kind of value in a slot.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// No value.
    case null
    /// `word0` is 0 or 1.
    case bool
    /// `word0` is the two's complement of the value.
    case integer
    /// `word0` is the bit pattern of the value.
    case double
    /// The decimal as sortable text; `word0` is the address, `word1` the byte count.
    case decimal
    /// `word0` is the seconds since 1970, `word1` the nanoseconds.
    case date
    /// Valid UTF-8; `word0` is the address, `word1` the byte count.
    case text
    /// A text that is not valid UTF-8; `word0` is the address, `word1` the byte count.
    case malformedText
    /// Bytes; `word0` is the address, `word1` the byte count.
    case data
    /// The 16 bytes of the identifier, big-endian in `word0` and `word1`.
    case uuid
    /// The 12 bytes of the identifier, big-endian in `word0` and the low half of `word1`.
    case objectID

    /// Whether slots of the kind borrow bytes.
    @inlinable public var isBorrowed: Bool {
      switch self {
      case .text, .malformedText, .data, .decimal: true
      case .null, .bool, .integer, .double, .date, .uuid, .objectID: false
      }
    }
  }

  /// The kind.
  public var kind: Kind
  /// The first eight bytes.
  public var word0: UInt64
  /// The last eight bytes.
  public var word1: UInt64

  /// Makes a slot.
  @inlinable public init(_ kind: Kind, _ word0: UInt64 = 0, _ word1: UInt64 = 0) {
    self.kind = kind
    self.word0 = word0
    self.word1 = word1
  }

  /// Makes a slot that borrows bytes.
  @inlinable public init(_ kind: Kind, borrowing bytes: UnsafeRawBufferPointer) {
    self.init(kind, UInt64(UInt(bitPattern: bytes.baseAddress)), UInt64(bytes.count))
  }

  /// The integer of an integer slot.
  @inlinable public var integer: Int64 { Int64(bitPattern: word0) }

  /// The double of a double slot.
  @inlinable public var double: Double { Double(bitPattern: word0) }

  /// The borrowed bytes of a text, decimal or data slot; empty for the other kinds.
  @inlinable public var bytes: UnsafeRawBufferPointer {
    guard kind.isBorrowed else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: word0)),
      count: word0 == 0 ? 0 : Int(truncatingIfNeeded: word1))
  }
}
