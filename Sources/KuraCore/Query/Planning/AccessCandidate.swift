/// One way to walk the records that a condition may select.
struct AccessCandidate {
  var database: AccessPath.Database
  /// The ranges of keys.
  var ranges: [KeyRange]
  /// The positions of the conjuncts that the ranges stand for, wholly or in part.
  var contributing: Set<Int>
  /// Those among them that need not be looked at again.
  var exact: Set<Int>
  /// The columns by which the walk is ordered; empty when that order is not to be trusted.
  var order: [Int]
  /// The columns that entries have, when records need not be fetched for them.
  var entryColumns: Set<Int>
  /// After how many columns of ``order`` no two records are equal.
  var uniqueCount: Int?
  /// The number of leading components that bound the ranges.
  var componentCount: Int
  /// About how many entries are walked.
  var estimatedCount: Double

  /// Whether the ranges leave something out.
  var isBounded: Bool { componentCount > 0 }
}

/// Guesses, because there are no statistics: which plan is cheaper, never which is right.
enum PlanningCost {
  /// Moving to the next record of all, with reading it; the unit.
  static let record = 1.0
  /// Moving to the next index entry.
  static let entry = 0.7
  /// Fetching a record by its key.
  static let fetch = 6.0
  /// Looking for the beginning of a range.
  static let search = 8.0
  /// Sorting, for each record.
  static let sort = 3.0
  /// Keeping the first records, for each record.
  static let top = 0.5
  /// The fewest records that a model is planned for, so that small stores have the plans of large.
  static let smallestCount = 1000.0

  /// The share of records whose column has one of some values.
  static func share(of values: ValueRanges, _ type: ValueType, count: Double) -> Double {
    let point = type == .bool ? 0.5 : 10 / max(count, 20)
    var share = values.includesNull ? 0.1 : 0
    var isOpenBelow = false
    for interval in values.intervals {
      if interval.isPoint {
        share += point
      } else if interval.lower.isEmpty {
        isOpenBelow = true
        share += interval.upper == nil ? 0.9 : 0.12
      } else if interval.upper == nil {
        share += isOpenBelow ? 0.8 : 0.12
      } else {
        share += 0.04
      }
    }
    return min(1, share)
  }

  /// The share of records that fulfil a part of a condition.
  static func share(of condition: BoundCondition, _ layout: ModelLayout) -> Double {
    switch condition {
    case .always: return 1
    case .never: return 0
    case .compareValue(let column, .equal, _):
      let isBool = layout.columns.indices.contains(column) && layout.columns[column].type == .bool
      return isBool ? 0.5 : 0.01
    case .compareColumns(_, .equal, _): return 0.05
    case .compareValue(_, .notEqual, _), .compareColumns(_, .notEqual, _): return 0.95
    case .compareValue, .compareColumns: return 0.3
    case .oneOf(_, let values): return min(0.5, 0.01 * Double(values.count))
    case .between: return 0.1
    case .textValue(_, .beginsWith, _): return 0.05
    case .textValue, .textColumns, .match, .matches, .among: return 0.15
    case .compare(_, .equal, _, _): return 0.05
    case .compare(_, .notEqual, _, _): return 0.95
    case .compare: return 0.3
    case .contained(_, let values, _): return min(0.5, 0.05 * Double(values.count))
    case .all(let parts): return parts.reduce(1) { $0 * share(of: $1, layout) }
    case .any(let parts): return min(1, parts.reduce(0) { $0 + share(of: $1, layout) })
    case .not(let part): return 1 - share(of: part, layout)
    }
  }
}
