/// The identity of an observation, for writes that it is not to be told of.
///
/// ```swift
/// let observation = ChangeObservation()
/// for try await change in store.changes(of: Dog.all, as: observation) { … }
/// // Elsewhere: the list has moved the row itself already.
/// try await store.write(notTelling: [observation]) { try $0.update(…) }
/// ```
public final class ChangeObservation: Sendable {
  private let ids = Monitor<[ObjectIdentifier: Set<CommitHub.ID>]>([:])

  /// Makes an identity; give it to one observation.
  public init() {}

  func set(_ id: CommitHub.ID, of store: Store) {
    ids.withLock { _ = $0[ObjectIdentifier(store), default: []].insert(id) }
  }

  func ids(of store: Store) -> Set<CommitHub.ID> {
    ids.withLock { $0[ObjectIdentifier(store)] ?? [] }
  }
}
