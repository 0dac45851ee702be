/// The records of a plan's walks that pass the walks' filters, in the walks' order.
///
/// This is the way of every record of a scan: it costs one call of the scan and one of the filter,
/// and retains nothing.
final class RowStream {
  /// What changes from record to record, behind a pointer: exclusive access to properties of a class
  /// is checked when the program runs.
  private struct State {
    /// The walk that is under way; owned.
    var walk: Unmanaged<Walk>?
    var step = -1
    var range = 0
  }

  private let plan: QueryPlan
  private let source: any RecordSource
  private let state: UnsafeMutablePointer<State>

  init(_ plan: QueryPlan, _ source: any RecordSource) {
    self.plan = plan
    self.source = source
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    close()
    state.deallocate()
  }

  /// Moves to the next record and fills the columns that the plan's walks read.
  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    while true {
      guard let walk = state.pointee.walk else {
        guard try openNextStep() else { return false }
        continue
      }
      var failure: StoreError?
      let hasRow = walk._withUnsafeGuaranteedRef { walk in
        do throws(StoreError) {
          return try walk.next(into: row)
        } catch {
          failure = error
          return false
        }
      }
      if hasRow { return true }
      if let failure { throw failure }
      try openNextRange(walk)
    }
  }

  /// The current record's key; valid until the next call of ``next(into:)``.
  var recordKey: UnsafeRawBufferPointer {
    state.pointee.walk?.takeUnretainedValue().scan.recordKey
      ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Ends the walk; more calls do nothing.
  func close() {
    state.pointee.step = plan.steps.count
    closeWalk()
  }

  private func closeWalk() {
    guard let walk = state.pointee.walk?.takeRetainedValue() else { return }
    state.pointee.walk = nil
    walk.scan.close()
  }

  @inline(never)
  private func openNextStep() throws(StoreError) -> Bool {
    guard state.pointee.step < plan.steps.count - 1 else { return false }
    state.pointee.step += 1
    state.pointee.range = 0
    let next = plan.steps[state.pointee.step]
    var path = next.path
    path.range = rangeToWalk(next)
    let stored = source.layout.storedCount
    let walk = Walk(
      try source.scan(path), next.filter, completes: !path.laterColumns.isEmpty,
      derivesFrom: path.columns.contains { $0 >= stored } ? stored : nil, source.limits)
    state.pointee.walk = Unmanaged.passRetained(walk)
    return true
  }

  @inline(never)
  private func openNextRange(_ walk: Unmanaged<Walk>) throws(StoreError) {
    state.pointee.range += 1
    let current = plan.steps[state.pointee.step]
    guard state.pointee.range < current.ranges.count else { return closeWalk() }
    try walk.takeUnretainedValue().restart(rangeToWalk(current))
  }

  private func rangeToWalk(_ step: QueryPlan.Step) -> KeyRange {
    let range = state.pointee.range
    return step.ranges[step.path.isDescending ? step.ranges.count - 1 - range : range]
  }
}

/// One walk of a ``RowStream`` with its filter.
private final class Walk {
  /// How many records are walked between two looks at the limits.
  private static let interval = 4096

  // Nothing here is optional: to look into an optional retains what is there.
  let scan: any RecordScan
  private let filters: Bool
  private let matcher: ConditionMatcher
  /// Whether other records give columns that are looked at; then what they decide comes last.
  private let derives: Bool
  private let derivedMatcher: ConditionMatcher
  private let completes: Bool
  private let limits: ExecutionLimits?
  private let untilCheck: UnsafeMutablePointer<Int>

  init(
    _ scan: any RecordScan, _ filter: BoundCondition, completes: Bool, derivesFrom stored: Int?,
    _ limits: ExecutionLimits?
  ) {
    self.scan = scan
    derives = stored != nil
    let (plain, later) = filter.split(at: stored ?? .max)
    filters = plain != .always
    matcher = ConditionMatcher(plain)
    derivedMatcher = ConditionMatcher(later)
    self.completes = completes
    self.limits = limits
    untilCheck = .allocate(capacity: 1)
    untilCheck.initialize(to: 1)
  }

  deinit { untilCheck.deallocate() }

  /// Moves to the next record of the range that passes the filter.
  func next(into row: RowBuffer) throws(StoreError) -> Bool {
    while try scan.next(into: row) {
      untilCheck.pointee &-= 1
      if untilCheck.pointee <= 0 { try check() }
      if filters, !matcher.matches(row) { continue }
      if derives {
        try scan.derive(row)
        if !derivedMatcher.matches(row) { continue }
      }
      if completes { try scan.complete(row) }
      return true
    }
    return false
  }

  /// Goes on with another range.
  func restart(_ range: KeyRange) throws(StoreError) {
    // Thousands of ranges may have no record.
    untilCheck.pointee &-= 1
    if untilCheck.pointee <= 0 { try check() }
    try scan.restart(range)
  }

  @inline(never)
  private func check() throws(StoreError) {
    untilCheck.pointee = Walk.interval
    try limits?.check()
  }
}
