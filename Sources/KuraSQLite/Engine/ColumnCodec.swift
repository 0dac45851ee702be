import CSQLite
import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a column's stored form becomes a slot of its logical type.
enum ColumnCodec: UInt8 {
  /// SQLite's own types: what a column of type `any` takes, and what raw SQL gives.
  case natural
  /// SQLite's own types in a table that Kura did not make, which takes what its declaration takes.
  case foreign
  case bool, integer, double, decimal, date, text, data, uuid, objectID

  init(_ type: ValueType, isKuraModel: Bool) {
    guard isKuraModel else {
      self = .foreign
      return
    }
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
      case .any: .natural
      }
  }

  /// Reads a column of the current row; `nil` when what is stored is not of the type.
  @inline(__always)
  func read(_ statement: SQLiteStatement, _ column: Int32) -> ColumnSlot? {
    let slot = statement.slot(column)
    switch (self, slot.kind) {
    case (_, .null), (.integer, .integer), (.double, .double), (.text, .text), (.data, .data):
      return slot
    case (.natural, _), (.foreign, _):
      // Without an address there was no memory for converting the text.
      return slot.kind == .malformedText && slot.word0 == 0 ? nil : slot
    case (.double, .integer):
      return ColumnSlot(.double, Double(slot.integer).bitPattern)
    case (.bool, .integer):
      return slot.word0 <= 1 ? ColumnSlot(.bool, slot.word0) : nil
    default: return convert(slot)
    }
  }

  /// Turns SQLite's value into the type's; `nil` when it is not one of the type.
  func convert(_ slot: ColumnSlot) -> ColumnSlot? {
    guard slot.kind == .text else { return nil }
    switch self {
    case .date:
      guard let time = unsafe Timestamp(canonical: slot.bytes) else { return nil }
      return ColumnSlot(.date, UInt64(bitPattern: time.seconds), UInt64(time.nanoseconds))
    case .uuid:
      return unsafe ValueText.uuid(slot.bytes).map { ColumnSlot(.uuid, $0.high, $0.low) }
    case .objectID:
      return unsafe ValueText.objectID(slot.bytes).map { ColumnSlot(.objectID, $0.high, $0.low) }
    case .decimal:
      return unsafe Decimal(sortableText: slot.bytes) == nil
        ? nil : ColumnSlot(.decimal, borrowing: slot.bytes)
    case .natural, .foreign, .bool, .integer, .double, .text, .data: return nil
    }
  }

  /// Whether a slot may be written to a column of this form.
  @inline(__always)
  func accepts(_ slot: ColumnSlot) -> Bool {
    switch (self, slot.kind) {
    case (_, .null), (.natural, .integer), (.natural, .text), (.natural, .data), (.bool, .bool),
      (.integer, .integer), (.decimal, .decimal), (.date, .date), (.text, .text), (.data, .data),
      (.uuid, .uuid), (.objectID, .objectID):
      true
    // SQLite would store null instead of not-a-number.
    case (.natural, .double), (.double, .double), (.foreign, .double): !slot.double.isNaN
    case (.foreign, _): true
    default: false
    }
  }

  /// Whether a value is exactly of this form, for the usual types of keys.
  @inline(__always)
  func isForm(of value: StoredValue) -> Bool {
    switch (self, value) {
    case (.integer, .integer), (.text, .text), (.uuid, .uuid), (.objectID, .objectID),
      (.foreign, _):
      true
    default: false
    }
  }
}
