extension ColumnSlot {
  /// Whether a comparison with another slot holds, in the two-valued logic of ``Condition``.
  ///
  /// Values of different types are never equal and order as in ``StoredValue/precedes(_:)``, except
  /// that an integer and a double of the same number are equal.
  @inlinable
  package func compares(_ comparison: Condition.ComparisonOperator, to other: ColumnSlot) -> Bool {
    if kind == .null || other.kind == .null {
      switch comparison {
      case .equal: return kind == other.kind
      case .notEqual: return kind != other.kind
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    }
    let order = order(to: other)
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    }
  }

  /// Whether another slot has the same value in the same form, to the last bit.
  package func isSame(as other: ColumnSlot) -> Bool {
    guard kind == other.kind else { return false }
    guard kind.isBorrowed else { return word0 == other.word0 && word1 == other.word1 }
    let (left, right) = (bytes, other.bytes)
    return left.count == right.count
      && (left.baseAddress == right.baseAddress || ColumnSlot.order(left, right) == 0)
  }

  /// Less than, equal to or greater than zero as the slot is before, at or after another.
  @usableFromInline
  package func order(to other: ColumnSlot) -> Int {
    let (left, right) = (orderRank, other.orderRank)
    if left != right { return left < right ? -1 : 1 }
    switch kind {
    case .null: return 0
    case .bool: return ColumnSlot.order(word0, other.word0)
    case .integer:
      return other.kind == .integer
        ? ColumnSlot.order(integer, other.integer) : NumberOrder.compare(integer, other.double)
    case .double:
      if other.kind == .integer { return -NumberOrder.compare(other.integer, double) }
      if double.isNaN || other.double.isNaN {
        return double.isNaN ? (other.double.isNaN ? 0 : 1) : -1
      }
      return ColumnSlot.order(double, other.double)
    case .date:
      let order = ColumnSlot.order(integer, other.integer)
      return order != 0 ? order : ColumnSlot.order(word1, other.word1)
    case .uuid, .objectID:
      let order = ColumnSlot.order(word0, other.word0)
      return order != 0 ? order : ColumnSlot.order(word1, other.word1)
    case .decimal, .text, .malformedText, .data:
      return ColumnSlot.order(bytes, other.bytes)
    }
  }

  /// The place of the type in the order of all values.
  package var orderRank: UInt8 {
    switch kind {
    case .null: 0
    case .bool: 1
    case .integer, .double: 2
    case .decimal: 3
    case .date: 4
    case .text, .malformedText: 5
    case .data: 6
    case .uuid: 7
    case .objectID: 8
    }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int {
    left < right ? -1 : (left == right ? 0 : 1)
  }

  /// As `memcmp`, a prefix first.
  private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int
  {
    let common = min(left.count, right.count)
    var index = 0
    while index + 8 <= common {
      let one = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let two = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if one != two { return one < two ? -1 : 1 }
      index += 8
    }
    while index < common {
      if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
      index += 1
    }
    return order(left.count, right.count)
  }
}
