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

  /// Reads a column of the current row into a slot.
  ///
  /// - Parameter plainKind: The codec's ``plainKind``, which is looked up once for many rows.
  /// - Returns: Whether what is stored is of the type.
  @inline(__always)
  func read(
    _ statement: OpaquePointer, _ column: Int32, plainKind: ColumnSlot.Kind,
    into target: UnsafeMutablePointer<ColumnSlot>
  ) -> Bool {
    let slot = unsafe SQLiteStatement.slot(statement, column)
    if slot.kind == plainKind || slot.kind == .null {
      unsafe target.pointee = slot
      return true
    }
    guard let other = other(slot) else { return false }
    unsafe target.pointee = other
    return true
  }

  /// Reads a column of the current row; `nil` when what is stored is not of the type.
  func read(_ statement: SQLiteStatement, _ column: Int32) -> ColumnSlot? {
    var slot = ColumnSlot(.null)
    return unsafe read(statement.handle, column, plainKind: plainKind, into: &slot) ? slot : nil
  }

  /// The kind of slot that is the type's as SQLite has it; null where there is none.
  var plainKind: ColumnSlot.Kind {
    switch self {
    case .integer: .integer
    case .double: .double
    case .text: .text
    case .data: .data
    case .natural, .foreign, .bool, .decimal, .date, .uuid, .objectID: .null
    }
  }

  /// The slot of a value in another form; `nil` when it is none of the type.
  @inline(never)
  func other(_ slot: ColumnSlot) -> ColumnSlot? {
    switch (self, slot.kind) {
    case (.natural, _), (.foreign, _):
      // Without an address there was no memory for converting the text.
      slot.kind == .malformedText && slot.word0 == 0 ? nil : slot
    case (.double, .integer): ColumnSlot(.double, Double(slot.integer).bitPattern)
    case (.bool, .integer): slot.word0 <= 1 ? ColumnSlot(.bool, slot.word0) : nil
    default: convert(slot)
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
