import KuraCore

/// Whether a transaction goes on; shared with the walks that it began and that may outlive it.
final class TransactionLife {
  /// Whether the transaction has ended.
  var isEnded = false
  let path: String?

  init(_ path: String?) { self.path = path }

  /// Throws ``StoreError/Code/transactionEnded`` after the end.
  @inline(__always)
  func check() throws(StoreError) {
    guard !isEnded else { throw ended }
  }

  private var ended: StoreError {
    StoreError(
      .transactionEnded, "the transaction has ended", path: path,
      suggestion: "use transaction and cursors only inside the closure")
  }
}
