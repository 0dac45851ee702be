extension Record {
  /// The values of a record in the order of its layout's columns.
  ///
  /// `@unchecked Sendable`: see ``Record``.
  public struct Values: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let content: RecordContent
    @usableFromInline let valueCount: Int
    /// The values that ``content`` holds as such: asking its buffer checks exclusive access each time.
    @usableFromInline let elements: UnsafeMutablePointer<StoredValue>?
    /// The slots of the row, when ``content`` is one of a batch.
    @usableFromInline let slots: UnsafeMutablePointer<ColumnSlot>?

    init(_ content: RecordContent) {
      self.content = content
      switch content {
      case .values(let storage):
        (valueCount, elements) = storage.withUnsafeMutablePointers { ($0.pointee.count, $1) }
        slots = nil
      case .row(let batch, let row):
        (valueCount, elements) = (batch.columnCount, nil)
        slots = batch.slots + row &* batch.columnCount
      }
    }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }

    /// The number of values.
    @inlinable public var endIndex: Int { valueCount }

    /// The value of a column; null for an index out of bounds.
    @inlinable public subscript(column: Int) -> StoredValue {
      guard column >= 0, column < valueCount else { return .null }
      if let elements { return withExtendedLifetime(content) { elements[column] } }
      guard let slots else { return .null }
      let slot = withExtendedLifetime(content) { slots[column] }
      // What has no bytes is made here, without a call.
      switch slot.kind {
      case .null: return .null
      case .integer: return .integer(slot.integer)
      case .double: return .double(slot.double)
      default: return content[column]
      }
    }
  }
}

extension Record.Values: Equatable {
  /// Whether all values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
