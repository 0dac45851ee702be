/// One observation: waits for commits, looks at one snapshot, and gives what came out.
///
/// Whoever asks gets what happened since the last answer as one answer, so that a slow consumer is never
/// behind by more than one. Between two questions nothing is held open.
final class Observer<State, Output: Sendable>: Sendable {
  /// Looks at a snapshot with what is known of the changes; gives `nil` when there is nothing to tell.
  typealias Step =
    @Sendable (inout State, ReadTransaction, Knowledge) throws(StoreError) -> Output?

  /// What is known of the changes since the last look.
  enum Knowledge {
    /// There was no look before.
    case isFirst
    /// These, the oldest first; some the observer asked not to be told of.
    case changes([(ChangeSet, isSkipped: Bool)])
    /// Anything may have changed.
    case unknown
  }

  private struct Core {
    var state: State
    var hasBegun = false
    var isEnded = false
  }

  let id: CommitHub.ID
  private let store: Store
  private let signal: WakeSignal
  private let core: Monitor<Core>
  private let step: Step

  /// - Parameter models: The models that matter; `nil` for all.
  init(_ store: Store, models: Set<String>?, _ state: sending State, step: @escaping Step) {
    self.store = store
    self.step = step
    (id, signal) = store.hub.add(models)
    core = Monitor(Core(state: state))
    // The first answer needs no commit.
    signal.raise()
    store.watchOtherWriters()
  }

  deinit { store.hub.remove(id) }

  /// The next answer; `nil` after a cancellation and after an error.
  func next(isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> Output? {
    while await signal.wait(), !core.withLock({ $0.isEnded }) {
      do {
        if let output = try await store.readerThreads.run({ try self.look() }) { return output }
      } catch {
        end()
        if Task.isCancelled { return nil }
        throw error as? StoreError
          ?? StoreError(.internalError, "an observation ended in an unexpected way")
      }
    }
    end()
    return nil
  }

  private func end() {
    core.withLock { $0.isEnded = true }
    signal.end()
    store.hub.remove(id)
  }

  /// Looks at the newest commit now; `nil` when there is nothing to tell.
  func look() throws -> Output? {
    try store.read { transaction in
      // A commit is told as soon as snapshots show it; a writer that waits for this snapshot to end, as
      // with rollback journals, must not be waited for.
      let deadline = ContinuousClock.now + .milliseconds(200)
      let news = store.hub.news(
        for: id, through: transaction.engineTransaction.commitNumber, until: deadline)
      return try core.withLock { core throws(StoreError) -> Output? in
        guard core.hasBegun else {
          core.hasBegun = true
          return try step(&core.state, transaction, .isFirst)
        }
        switch news {
        case .nothing: return nil
        case .changes(let changes): return try step(&core.state, transaction, .changes(changes))
        case .unknown: return try step(&core.state, transaction, .unknown)
        }
      }
    }
  }
}
