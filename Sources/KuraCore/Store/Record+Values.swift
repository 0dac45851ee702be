extension Record {
  /// The values of a record in the order of its layout's columns.
  ///
  /// `@unchecked Sendable`: see ``Record``.
  public struct Values: RandomAccessCollection, @unchecked Sendable {
    @usableFromInline let storage: ManagedBuffer<RecordStorage.Header, StoredValue>

    @usableFromInline
    init(storage: ManagedBuffer<RecordStorage.Header, StoredValue>) { self.storage = storage }

    /// Zero.
    @inlinable public var startIndex: Int { 0 }

    /// The number of values.
    @inlinable public var endIndex: Int { storage.header.count }

    /// The value of a column; null for an index out of bounds.
    @inlinable public subscript(column: Int) -> StoredValue {
      storage.withUnsafeMutablePointers { header, values in
        guard column >= 0, column < header.pointee.count else { return .null }
        return values[column]
      }
    }
  }
}

extension Record.Values: Equatable {
  /// Whether all values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
