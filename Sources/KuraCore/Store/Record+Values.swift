extension Record {
  /// The values of a record in the order of its layout's columns.
  ///
  /// `@unchecked Sendable`: see ``Record``.
  public struct Values: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let content: RecordContent
    @usableFromInline let valueCount: Int
    /// The values that ``content`` holds as such: asking its buffer checks exclusive access each time.
    @usableFromInline let elements: UnsafeMutablePointer<StoredValue>?

    init(_ content: RecordContent) {
      self.content = content
      valueCount = content.count
      elements =
        switch content {
        case .values(let storage): storage.withUnsafeMutablePointerToElements { $0 }
        case .row: nil
        }
    }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }

    /// The number of values.
    @inlinable public var endIndex: Int { valueCount }

    /// The value of a column; null for an index out of bounds.
    @inlinable public subscript(column: Int) -> StoredValue {
      guard column >= 0, column < valueCount else { return .null }
      guard let elements else { return content[column] }
      return withExtendedLifetime(content) { elements[column] }
    }
  }
}

extension Record.Values: Equatable {
  /// Whether all values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
