extension Store {
  /// How often commits of other processes are looked for while somebody observes: half of what an
  /// observer may be late.
  private static let watchInterval: Duration = .milliseconds(40)

  /// Looks from now on for commits of others, as long as anybody observes.
  ///
  /// A look costs one number of the file's head, which is in memory, and no transaction.
  func watchOtherWriters() {
    guard case .file = configuration.location, watcher.begin() else { return }
    Task.detached { [weak self] in
      var last: CommitMarker?
      while true {
        do {
          try await Task.sleep(for: Store.watchInterval)
        } catch {
          break
        }
        guard let store = self, store.keepsWatching(&last) else { return }
      }
    }
  }

  private func keepsWatching(_ last: inout CommitMarker?) -> Bool {
    guard watcher.goesOn({ hub.isObserved }) else { return false }
    do {
      let marker =
        try engine.newestCommitNumber().map { CommitMarker(words: [$0]) } ?? engine.commitMarker()
      if marker != last { hub.wakeAll() }
      last = marker
    } catch {
      // Observers find out themselves, each for its own failure.
      hub.wakeAll()
      return !watcher.stop()
    }
    return true
  }
}

/// Whether a store's watching runs.
final class Watcher: Sendable {
  private let isRunning = Monitor(false)

  /// Marks the begin; `false` when it runs already.
  func begin() -> Bool {
    isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
  }

  /// Whether it is to go on; after a `false` it must begin again.
  func goesOn(_ isNeeded: () -> Bool) -> Bool {
    isRunning.withLock { isRunning in
      isRunning = isNeeded()
      return isRunning
    }
  }

  /// Marks the end; always `true`.
  func stop() -> Bool {
    isRunning.withLock { $0 = false }
    return true
  }
}
