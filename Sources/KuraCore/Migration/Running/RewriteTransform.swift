/// Rewrites records for an engine that walks itself, and hashes what is copied on the way.
final class RewriteTransform: RecordTransform {
  let copied: [Int?]
  private(set) var digest: RecordDigest

  private let rewriter: RowRewriter
  private let selection: RecordSelection?
  private let monitor: MigrationMonitor
  private let old: ModelLayout
  private let newKeys: [Int]
  private let digestKeys: [Int]
  private let sources: [Int]
  private let failed: (RewriteFailure, RowBuffer) -> StoreError

  init(
    _ rewrite: ModelRewrite, _ old: ModelLayout, _ new: ModelLayout, _ selection: RecordSelection?,
    _ monitor: MigrationMonitor, failed: @escaping (RewriteFailure, RowBuffer) -> StoreError
  ) {
    copied = rewrite.columns.map(\.copied)
    sources = copied.compactMap { $0 }
    digest = RecordDigest(columns: sources.count)
    rewriter = RowRewriter(rewrite)
    self.selection = selection
    self.monitor = monitor
    self.old = old
    newKeys = new.keyColumns
    digestKeys = rewrite.keepsKey ? old.keyColumns : []
    self.failed = failed
  }

  func fill(_ new: RowBuffer, from row: RowBuffer) throws(StoreError) {
    try monitor.count()
    let isMeant = try selection?.contains(row) ?? true
    do throws(RewriteFailure) {
      if let failure = try rewriter.fill(new, from: row, isMeant: isMeant) { throw failure }
    } catch {
      throw failed(error, row)
    }
    for key in newKeys where new[key].kind == .null {
      throw failed(RewriteFailure(reason: "the key would have no value"), row)
    }
    digest.add(row, keys: digestKeys, chosen: sources)
  }
}

extension ModelRewrite {
  /// Whether an engine may walk over the records itself: nothing is left out or looked up on the way.
  var isOneWalk: Bool {
    guard onFailure != .quarantine, columns.contains(where: { $0.copied == nil }) else {
      return false
    }
    return !columns.contains { column in
      if case .lookUp = column { true } else { false }
    }
  }
}
