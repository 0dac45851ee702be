import KuraCore

/// The checks of a file: its pages by our own reader, then its records and indexes.
enum StoreCheck {
  /// Looks for damage; records are looked at only when the pages are sound.
  static func run<Snapshot: KeyValueSnapshot>(
    _ depth: CheckDepth, file: PageFile, _ snapshot: Snapshot, _ catalogue: Catalogue?,
    limits: ExecutionLimits?, progress: ProgressHandler?
  ) throws(StoreError) -> CheckReport {
    var report = try PageCheck(file, depth: depth, progress: progress).run()
    guard depth != .quick, let catalogue, report.isClean else { return report }
    let check = DataCheck(snapshot, catalogue, depth, limits: limits, progress: progress)
    try check.run()
    report.findings += check.report.findings
    report.isIncomplete = report.isIncomplete || check.report.isIncomplete
    return report
  }
}
