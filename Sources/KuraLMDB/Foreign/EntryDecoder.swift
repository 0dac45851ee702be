package import KuraCore

/// Turns the bytes of keys or values into values of a column.
package protocol EntryDecoder: AnyObject {
  /// The type that a query sees.
  var type: ValueType { get }
  /// Fills a column; bytes that are not copied into the row stay valid as long as the source's.
  ///
  /// Bytes that are not of the form become data. Never fails and never traps.
  func decode(_ bytes: UnsafeRawBufferPointer, into row: RowBuffer, column: Int)
}

/// Bytes that are text when they are UTF-8.
package final class TextDecoder: EntryDecoder {
  /// What bytes are that are no UTF-8: ``ColumnSlot/Kind/malformedText`` keeps the order of the bytes
  /// among texts, ``ColumnSlot/Kind/data`` is what they are.
  private let other: ColumnSlot.Kind
  package let type: ValueType

  /// A decoder of keys, whose order is that of their bytes.
  package static func keys() -> TextDecoder { TextDecoder(.malformedText, .text) }

  /// A decoder of values.
  package static func values() -> TextDecoder { TextDecoder(.data, .any) }

  private init(_ other: ColumnSlot.Kind, _ type: ValueType) {
    self.other = other
    self.type = type
  }

  package func decode(_ bytes: UnsafeRawBufferPointer, into row: RowBuffer, column: Int) {
    row[column] = unsafe ColumnSlot(
      UTF8Validation.isValid(bytes) ? .text : other, borrowing: bytes)
  }
}

/// The unsigned integers of 4 or 8 bytes in the machine's order that LMDB's integer databases have.
package final class NativeIntegerDecoder: EntryDecoder {
  package let type = ValueType.integer

  /// Makes a decoder.
  package init() {}

  package func decode(_ bytes: UnsafeRawBufferPointer, into row: RowBuffer, column: Int) {
    guard let number = unsafe NativeIntegerDecoder.number(bytes),
      let integer = Int64(exactly: number)
    else {
      row[column] = unsafe ColumnSlot(.data, borrowing: bytes)
      return
    }
    row[column] = ColumnSlot(.integer, UInt64(bitPattern: integer))
  }

  /// The number in bytes; files of the other byte order are not read at all.
  package static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    switch bytes.count {
    case 4: unsafe UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
    case 8: unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    default: nil
    }
  }
}
