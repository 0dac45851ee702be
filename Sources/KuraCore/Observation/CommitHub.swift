/// What the writers of one store tell its observers.
///
/// Commits are kept by their numbers until every observer has seen them. An observer that finds a number
/// missing, because somebody else made that commit, looks at everything again.
final class CommitHub: Sendable {
  /// The identity of an observer.
  typealias ID = Int

  /// Commits with successive numbers.
  private struct Entry {
    var numbers: ClosedRange<UInt64>
    var changes: ChangeSet
    /// The models whose changes were noted; `nil` for all.
    ///
    /// Who began to observe others while the write was on its way learns nothing from the changes.
    var noted: Set<String>?
    /// Those who asked not to be told of it.
    let skipping: Set<ID>
  }

  private struct Observer {
    let signal: WakeSignal
    /// The models that matter to it; `nil` for all.
    let models: Set<String>?
    /// The newest commit that it has seen; `nil` before its first snapshot.
    var position: UInt64?
  }

  private struct State {
    var observers: [ID: Observer] = [:]
    var nextID = 0
    var entries: [Entry] = []
    /// How many commits are on their way: what they changed is not among the entries yet.
    var running = 0
    var isClosed = false
  }

  /// What happened since an observer looked last.
  enum News {
    /// Nothing.
    case nothing
    /// Changes, and whether the observer asked not to be told of them; the oldest first.
    case changes([(ChangeSet, isSkipped: Bool)])
    /// Anything may have happened.
    case unknown
  }

  private let monitor = Monitor(State())

  /// More entries are joined.
  private static let maximumEntryCount = 64

  // MARK: Observers

  /// Adds an observer of models, `nil` for all.
  func add(_ models: Set<String>?) -> (ID, WakeSignal) {
    let signal = WakeSignal()
    let id = monitor.withLock { state in
      state.nextID += 1
      state.observers[state.nextID] = Observer(signal: signal, models: models)
      // One that comes too late is to hear that the store is closed.
      return state.nextID
    }
    return (id, signal)
  }

  /// Removes an observer.
  func remove(_ id: ID) {
    monitor.withLock { state in
      state.observers[id] = nil
      CommitHub.trim(&state)
    }
  }

  /// Whether anybody observes.
  var isObserved: Bool { monitor.withLock { !$0.observers.isEmpty } }

  /// Wakes all observers, because somebody may have committed or the store is closed.
  func wakeAll() {
    for signal in monitor.withLock({ $0.observers.values.map(\.signal) }) { signal.raise() }
  }

  /// What happened between an observer's position and the commit that a snapshot shows, which is its
  /// position from now on.
  func news(for id: ID, through number: UInt64?, until deadline: ContinuousClock.Instant) -> News {
    // A commit that the snapshot shows may not have been told yet.
    let news = monitor.wait(until: deadline) { state -> News? in
      let news = CommitHub.news(for: id, through: number, state)
      if case .unknown = news, state.running > 0, number != nil,
        state.observers[id]?.position != nil
      {
        return nil
      }
      return news
    }
    monitor.withLock { state in
      state.observers[id]?.position = number
      CommitHub.trim(&state)
    }
    return news ?? .unknown
  }

  private static func news(for id: ID, through number: UInt64?, _ state: State) -> News {
    guard let number, let position = state.observers[id]?.position, number >= position else {
      return .unknown
    }
    guard number > position else { return .nothing }
    var expected = position + 1
    var found: [(ChangeSet, isSkipped: Bool)] = []
    for entry in state.entries
    where entry.numbers.upperBound > position && entry.numbers.lowerBound <= number {
      // Of joined commits a part says nothing: what one made and the next one deleted is in neither.
      guard entry.numbers.lowerBound > position, entry.numbers.upperBound <= number,
        entry.numbers.lowerBound <= expected,
        CommitHub.covers(entry.noted, state.observers[id]?.models)
      else { return .unknown }
      expected = max(expected, entry.numbers.upperBound &+ 1)
      found.append((entry.changes, entry.skipping.contains(id)))
    }
    return expected > number ? .changes(found) : .unknown
  }

  // MARK: Writers

  /// What a write transaction is to note; `nil` when nobody observes.
  func recorder() -> ChangeRecorder? {
    monitor.withLock { state in
      guard !state.observers.isEmpty else { return nil }
      var models: Set<String> = []
      for observer in state.observers.values {
        guard let some = observer.models else { return ChangeRecorder() }
        models.formUnion(some)
      }
      return ChangeRecorder(models: models)
    }
  }

  /// Notes that a commit is on its way.
  func beginCommit() { monitor.withLock { $0.running += 1 } }

  /// Notes that it failed.
  func failCommit() { endCommit(nil, .unknown, noted: nil, skipping: []) }

  /// Tells what a commit changed.
  ///
  /// - Parameters:
  ///   - number: Its number; `nil` when it is not known or nothing was written.
  ///   - noted: The models whose changes were noted; `nil` for all.
  func endCommit(
    _ number: UInt64?, _ changes: ChangeSet, noted: Set<String>?, skipping: Set<ID>
  ) {
    let signals = monitor.withLock { state -> [WakeSignal] in
      state.running -= 1
      guard let number else { return state.observers.values.map(\.signal) }
      var woken: [WakeSignal] = []
      for (id, observer) in state.observers {
        if !CommitHub.covers(noted, observer.models)
          || CommitHub.concerns(changes, observer.models)
        {
          woken.append(observer.signal)
        } else if let position = observer.position, number == position &+ 1 {
          state.observers[id]?.position = number
        }
      }
      // The next writer may have told its commit first.
      let place = state.entries.lastIndex { $0.numbers.upperBound < number }.map { $0 + 1 } ?? 0
      state.entries.insert(
        Entry(numbers: number...number, changes: changes, noted: noted, skipping: skipping),
        at: place)
      CommitHub.trim(&state)
      return woken
    }
    for signal in signals { signal.raise() }
  }

  /// Whether the changes of all models that matter were noted.
  private static func covers(_ noted: Set<String>?, _ models: Set<String>?) -> Bool {
    guard let noted else { return true }
    return models?.isSubset(of: noted) ?? false
  }

  private static func concerns(_ changes: ChangeSet, _ models: Set<String>?) -> Bool {
    guard let models, changes.isComplete else { return !changes.isEmpty }
    return changes.models.keys.contains { models.contains($0) }
  }

  /// Forgets what all have seen, and joins old entries: what is too much for a slow observer becomes
  /// less exact, not more.
  private static func trim(_ state: inout State) {
    guard !state.observers.isEmpty else {
      state.entries = []
      return
    }
    let oldest = state.observers.values.map { $0.position ?? 0 }.min() ?? 0
    if let first = state.entries.first, first.numbers.upperBound <= oldest {
      state.entries.removeAll { $0.numbers.upperBound <= oldest }
    }
    guard state.entries.count > maximumEntryCount else { return }
    // Pairs, so that each change is joined a number of times that grows with the logarithm only.
    var joined: [Entry] = []
    var isFirst = true
    for entry in state.entries {
      if !isFirst, var last = joined.last, last.skipping == entry.skipping,
        last.numbers.upperBound &+ 1 == entry.numbers.lowerBound
      {
        last.changes.merge(entry.changes, limit: ChangeRecorder.defaultLimit)
        if let noted = entry.noted { last.noted = last.noted?.intersection(noted) ?? noted }
        last.numbers = last.numbers.lowerBound...entry.numbers.upperBound
        joined[joined.count - 1] = last
        isFirst = true
      } else {
        joined.append(entry)
        isFirst = false
      }
    }
    state.entries = joined
  }
}
