package import KuraCore

extension EntryRange {
  /// A number as a key of an integer database; greater ones than 4 bytes hold become the greatest.
  static func number(_ number: Int64, size: Int) -> [UInt8] {
    size == 4
      ? unsafe withUnsafeBytes(of: UInt32(clamping: number).littleEndian) { unsafe Array($0) }
      : unsafe withUnsafeBytes(of: UInt64(clamping: number).littleEndian) { unsafe Array($0) }
  }
}

extension ForeignRecordSource {
  /// The source with the bounds that a condition sets to the numbers of an integer database, which
  /// the planner cannot turn into bytes.
  package func prepared(for query: BoundQuery) -> ForeignRecordSource {
    if tree.order == .integer, key.isOrderTrusted {
      let range = ForeignRecordSource.range(query.condition)
      let greatest = keySize == 4 ? Int64(UInt32.max) : Int64.max
      bounds = (
        // What is below zero or too great for the size becomes the nearest key, and conditions are
        // looked at again.
        EntryRange.number(range.lower, size: keySize),
        range.upper < greatest ? EntryRange.number(max(-1, range.upper) + 1, size: keySize) : nil
      )
    }
    return self
  }

  /// How a query is executed, one step a line.
  package func explanation(of query: BoundQuery) throws(StoreError) -> [String] {
    var lines = try prepared(for: query).explain(query)
    if let bounds, bounds.upper != nil || bounds.lower.contains(where: { $0 != 0 }) {
      let range = ForeignRecordSource.range(query.condition)
      let upper = range.upper == .max ? "" : " to \(range.upper)"
      lines.insert("keys from \(max(0, range.lower))\(upper)", at: 0)
    }
    return lines
  }

  /// The numbers that can fulfil a condition on the key, or more.
  private static func range(_ condition: BoundCondition) -> (lower: Int64, upper: Int64) {
    let all = (lower: Int64.min, upper: Int64.max)
    switch condition {
    case .compareValue(column: Column.key, let comparison, .integer(let number)):
      switch comparison {
      case .equal: return (number, number)
      case .less, .lessOrEqual: return (all.lower, number)
      case .greater, .greaterOrEqual: return (number, all.upper)
      case .notEqual: return all
      }
    case .between(column: Column.key, .integer(let lower), .integer(let upper)):
      return (lower, upper)
    case .oneOf(column: Column.key, let values):
      var numbers: [Int64] = []
      for value in values {
        guard case .integer(let number) = value else { return all }
        numbers.append(number)
      }
      guard let least = numbers.min(), let greatest = numbers.max() else { return all }
      return (least, greatest)
    case .all(let parts):
      return parts.map(range).reduce(all) { (max($0.lower, $1.lower), min($0.upper, $1.upper)) }
    default: return all
    }
  }
}
