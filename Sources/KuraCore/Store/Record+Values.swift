extension Record {
  /// The values of a record in the order of its layout's columns.
  ///
  /// `@unchecked Sendable`: see ``Record``.
  public struct Values: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let content: RecordContent

    @usableFromInline
    init(_ content: RecordContent) { self.content = content }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }

    /// The number of values.
    @inlinable public var endIndex: Int { content.count }

    /// The value of a column; null for an index out of bounds.
    @inlinable public subscript(column: Int) -> StoredValue { content[column] }
  }
}

extension Record.Values: Equatable {
  /// Whether all values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
