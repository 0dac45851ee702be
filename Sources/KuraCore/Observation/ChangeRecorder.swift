/// Notes which records a write transaction changes.
///
/// A backend asks once for the log of each model that it writes, and adds to it. What is undone, by a
/// savepoint or because a call failed, is taken back with ``rollBack(to:)``. A recorder belongs to one
/// thread at a time.
public final class ChangeRecorder {
  /// A place to go back to.
  public struct Mark: Sendable {
    fileprivate let counts: [String: Int]
  }

  /// The models that somebody observes; `nil` for all.
  package let wanted: Set<String>?
  private let limit: Int
  private var logs: [String: ModelChangeLog] = [:]
  private var isComplete = true

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - models: The models that somebody observes; `nil` for all.
  ///   - limit: How many changes of one model are noted one by one; beyond it every record may have
  ///     changed.
  public init(models: Set<String>? = nil, limit: Int = ChangeRecorder.defaultLimit) {
    wanted = models
    self.limit = max(0, limit)
  }

  /// So many changes of a model are noted one by one: reading them one by one costs then about what a
  /// walk over a hundred thousand records costs.
  public static let defaultLimit = 10_000

  /// The log of a model; `nil` when nobody observes it, and for what the store keeps for itself.
  public func log(of model: String) -> ModelChangeLog? {
    if let log = logs[model] { return log }
    if let wanted, !wanted.contains(model) { return nil }
    // The names that Kura and SQLite keep from models.
    guard !model.hasPrefix("kura_"), !model.hasPrefix("sqlite_") else { return nil }
    let log = ModelChangeLog(limit)
    if !isComplete { log.noteEverything() }
    logs[model] = log
    return log
  }

  /// Whether something is still noted one by one.
  package var isCounting: Bool { isComplete }

  /// Notes that anything may have changed, in any model.
  public func noteEverything() {
    isComplete = false
    for log in logs.values { log.noteEverything() }
  }

  /// The place where the recorder stands now.
  public func mark() -> Mark { Mark(counts: logs.mapValues(\.entries.count)) }

  /// Takes back what was noted since a mark; what was too much to be noted stays "every record".
  public func rollBack(to mark: Mark) {
    for (model, log) in logs { log.truncate(to: mark.counts[model] ?? 0) }
  }

  /// What was noted, each record once.
  public func changeSet() -> ChangeSet {
    var set = ChangeSet(isComplete: isComplete)
    for (model, log) in logs { set.models[model] = log.changes() }
    return set
  }
}

/// The changes of one model inside a transaction.
public final class ModelChangeLog {
  fileprivate private(set) var entries: [ChangeSet.RecordChange] = []
  /// Whether there were too many: then nothing more is noted.
  public private(set) var isFull = false
  private let limit: Int

  fileprivate init(_ limit: Int) { self.limit = limit }

  /// Notes a change.
  public func note(
    _ key: @autoclosure () -> RecordKey, _ kind: ChangeSet.Kind,
    _ properties: ChangedProperties = .all
  ) {
    guard !isFull else { return }
    guard entries.count < limit else { return noteEverything() }
    entries.append(ChangeSet.RecordChange(key: key(), kind: kind, properties: properties))
  }

  /// Notes that every record may have changed.
  public func noteEverything() {
    isFull = true
    entries = []
  }

  /// How many changes are noted.
  package var count: Int { entries.count }

  /// Takes back all but the first changes; what was too much to be noted stays "every record".
  package func truncate(to count: Int) {
    guard count < entries.count else { return }
    entries.removeLast(entries.count - count)
  }

  fileprivate func changes() -> ChangeSet.ModelChanges? {
    guard !isFull else { return .everything }
    var merger = ChangeMerger()
    for entry in entries { merger.add(entry) }
    let changes = merger.changes
    return changes.isEmpty ? nil : .records(changes)
  }
}
