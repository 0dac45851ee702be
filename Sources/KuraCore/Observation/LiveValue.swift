public import Observation

/// A value that follows a store as an observable object: a count, an average, one record.
///
/// ```swift
/// let average = LiveValue(store.averages(of: CoopResult.all, { $0.goldenEggs }))
/// ```
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
  /// The value; `nil` until it was read first.
  public private(set) var value: Value?
  /// Why there are no more changes.
  public private(set) var error: StoreError?

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Observes a value.
  public init(_ changes: ValueChanges<Value>) {
    task = Task { [weak self] in
      do throws(StoreError) {
        for try await value in changes {
          guard let self else { return }
          self.value = value
        }
      } catch {
        self?.error = error
      }
    }
  }

  deinit { task?.cancel() }
}
