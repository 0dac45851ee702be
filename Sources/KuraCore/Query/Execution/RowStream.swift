/// The records of a plan's walks that pass the walks' filters, in the walks' order.
final class RowStream {
  /// The walk that is under way.
  private struct Walk {
    let scan: any RecordScan
    let matcher: ConditionMatcher?
    let completes: Bool
  }

  /// How many records are walked between two looks at the limits.
  private static let interval = 4096

  private let plan: QueryPlan
  private let source: any RecordSource
  private let limits: ExecutionLimits?
  private var walk: Walk?
  private var step = -1
  private var range = 0
  private var untilCheck = 1

  init(_ plan: QueryPlan, _ source: any RecordSource) {
    self.plan = plan
    self.source = source
    limits = source.limits
  }

  deinit { close() }

  /// Moves to the next record and fills the columns that the plan's walks read.
  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    while true {
      guard let walk else {
        guard try openNextStep() else { return false }
        continue
      }
      while try walk.scan.next(into: row) {
        untilCheck &-= 1
        if untilCheck == 0 { try check() }
        if let matcher = walk.matcher, !matcher.matches(row) { continue }
        if walk.completes { try walk.scan.complete(row) }
        return true
      }
      try openNextRange(walk)
    }
  }

  /// The current record's key; valid until the next call of ``next(into:)``.
  var recordKey: UnsafeRawBufferPointer {
    walk?.scan.recordKey ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Ends the walk; more calls do nothing.
  func close() {
    walk?.scan.close()
    walk = nil
    step = plan.steps.count
  }

  private func check() throws(StoreError) {
    untilCheck = RowStream.interval
    try limits?.check()
  }

  private func openNextStep() throws(StoreError) -> Bool {
    guard step < plan.steps.count - 1 else { return false }
    step += 1
    range = 0
    let next = plan.steps[step]
    var path = next.path
    path.range = rangeToWalk(next)
    walk = Walk(
      scan: try source.scan(path),
      matcher: next.filter == .always ? nil : ConditionMatcher(next.filter),
      completes: !path.laterColumns.isEmpty)
    return true
  }

  private func openNextRange(_ walk: Walk) throws(StoreError) {
    range += 1
    let current = plan.steps[step]
    if range < current.ranges.count {
      // Thousands of ranges may have no record.
      untilCheck &-= 1
      if untilCheck <= 0 { try check() }
      try walk.scan.restart(rangeToWalk(current))
    } else {
      walk.scan.close()
      self.walk = nil
    }
  }

  private func rangeToWalk(_ step: QueryPlan.Step) -> KeyRange {
    step.ranges[step.path.isDescending ? step.ranges.count - 1 - range : range]
  }
}
