/// Finds the values of one column with which a condition can be fulfilled.
final class ValueRangeReader {
  /// What a condition says about the column.
  struct Finding {
    /// The condition is not fulfilled with any other value.
    var ranges: ValueRanges
    /// Whether it is fulfilled with each of them, whatever the other columns are.
    var isExact: Bool
  }

  private let column: Int
  private let type: ValueType
  private let form: KeyOffer.Form
  private let row = RowBuffer(columns: 1)
  private let key = OrderedKey()

  init(column: Int, of layout: ModelLayout, form: KeyOffer.Form) {
    self.column = column
    type = layout.columns.indices.contains(column) ? layout.columns[column].type : .any
    self.form = form
  }

  /// What a condition says about the column; `nil` when it says nothing.
  func read(_ condition: BoundCondition) -> Finding? {
    switch condition {
    case .always: return nil
    case .never: return Finding(ranges: .none, isExact: true)
    case .compareValue(column, let comparison, let value): return compare(comparison, value)
    case .oneOf(column, let values): return oneOf(values)
    case .between(column, let lower, let upper): return between(lower, upper)
    case .textValue(column, let match, let value): return text(match, value)
    case .compareValue, .oneOf, .between, .textValue, .compareColumns, .textColumns, .compare,
      .contained, .match, .matches, .among:
      return nil
    case .all(let parts): return all(parts)
    case .any(let parts): return any(parts)
    case .not(let part):
      guard let finding = read(part), finding.isExact else { return nil }
      return Finding(ranges: finding.ranges.complement, isExact: true)
    }
  }

  private func all(_ parts: [BoundCondition]) -> Finding? {
    var sets: [ValueRanges] = []
    var isExact = true
    for part in parts {
      if let finding = read(part) {
        sets.append(finding.ranges)
        isExact = isExact && finding.isExact
      } else if part != .always {
        isExact = false
      }
    }
    guard !sets.isEmpty else { return nil }
    return Finding(ranges: .intersection(sets[...]), isExact: isExact)
  }

  private func any(_ parts: [BoundCondition]) -> Finding? {
    var sets: [ValueRanges] = []
    var isExact = true
    for part in parts {
      guard let finding = read(part) else { return nil }
      sets.append(finding.ranges)
      isExact = isExact && finding.isExact
    }
    guard !sets.isEmpty else { return Finding(ranges: .none, isExact: true) }
    return Finding(ranges: .union(sets), isExact: isExact)
  }

  private func compare(_ comparison: Condition.ComparisonOperator, _ value: StoredValue) -> Finding?
  {
    if value.isNull {
      switch comparison {
      case .equal: return Finding(ranges: .null, isExact: true)
      case .notEqual: return Finding(ranges: ValueRanges.null.complement, isExact: true)
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        return Finding(ranges: .none, isExact: true)
      }
    }
    guard let point = point(value) else { return nil }
    let interval: ValueRanges.Interval
    switch comparison {
    case .equal: interval = point
    case .notEqual:
      let equal = ValueRanges(includesNull: false, intervals: [point])
      return Finding(ranges: equal.complement, isExact: true)
    case .less: interval = ValueRanges.Interval(lower: [], upper: point.lower)
    case .lessOrEqual: interval = ValueRanges.Interval(lower: [], upper: point.upper)
    case .greaterOrEqual: interval = ValueRanges.Interval(lower: point.lower)
    case .greater:
      guard let after = point.upper else { return Finding(ranges: .none, isExact: true) }
      interval = ValueRanges.Interval(lower: after)
    }
    return Finding(ranges: ValueRanges(includesNull: false, intervals: [interval]), isExact: true)
  }

  private func oneOf(_ values: [StoredValue]) -> Finding? {
    var sets: [ValueRanges] = []
    for value in values {
      if value.isNull {
        sets.append(.null)
      } else if let point = point(value) {
        sets.append(ValueRanges(includesNull: false, intervals: [point]))
      } else {
        return nil
      }
    }
    return Finding(ranges: sets.isEmpty ? .none : .union(sets), isExact: true)
  }

  private func between(_ lower: StoredValue, _ upper: StoredValue) -> Finding? {
    guard let low = compare(.greaterOrEqual, lower), let high = compare(.lessOrEqual, upper) else {
      return nil
    }
    return Finding(ranges: low.ranges.intersection(high.ranges), isExact: true)
  }

  private func text(_ match: Condition.TextOperator, _ value: StoredValue) -> Finding? {
    guard isValue(value) else { return nil }
    switch (match, value, type) {
    case (.beginsWith, .text(let text), .text): return beginning(Array(text.utf8), isExact: true)
    case (.beginsWith, .data(let bytes), .data): return beginning(bytes, isExact: true)
    case (.like, .text(let pattern), .text):
      let (prefix, isWhole) = TextMatching.literalPrefix(of: pattern)
      guard isWhole else { return beginning(prefix, isExact: false) }
      return point(.text(String(decoding: prefix, as: UTF8.self))).map {
        Finding(ranges: ValueRanges(includesNull: false, intervals: [$0]), isExact: true)
      }
    default: return nil
    }
  }

  private func beginning(_ prefix: [UInt8], isExact: Bool) -> Finding {
    key.truncate()
    switch form {
    case .ordered:
      prefix.withUnsafeBytes { key.append(ColumnSlot(.data, borrowing: $0)) }
      // Without the zero byte that ends the bytes.
      key.truncate(to: key.count - 1)
    case .plain, .opaque: prefix.withUnsafeBytes { key.append($0) }
    }
    let lower = Array(key.bytes)
    let upper = key.advancePastPrefix() ? Array(key.bytes) : nil
    return Finding(
      ranges: ValueRanges(
        includesNull: false, intervals: [ValueRanges.Interval(lower: lower, upper: upper)]),
      isExact: isExact)
  }

  /// The bytes of one value; `nil` for a value that the column's keys cannot have.
  private func point(_ value: StoredValue) -> ValueRanges.Interval? {
    guard isValue(value) else { return nil }
    row.reset()
    row.setValue(value, at: 0)
    key.truncate()
    switch form {
    case .ordered:
      key.append(row[0])
      let lower = Array(key.bytes)
      return ValueRanges.Interval(
        lower: lower, upper: key.advancePastPrefix() ? Array(key.bytes) : nil, isPoint: true)
    case .plain:
      // Plain keys may begin one another: what comes next is one zero byte longer.
      let lower = Array(row[0].bytes)
      return ValueRanges.Interval(lower: lower, upper: lower + [0], isPoint: true)
    case .opaque: return nil
    }
  }

  private func isValue(_ value: StoredValue) -> Bool {
    switch (type, value) {
    case (.text, .text), (.data, .data): true
    case (.bool, .bool), (.integer, .integer), (.double, .double), (.decimal, .decimal),
      (.date, .date), (.uuid, .uuid), (.objectID, .objectID):
      form == .ordered
    default: false
    }
  }
}
