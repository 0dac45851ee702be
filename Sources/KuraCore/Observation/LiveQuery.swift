public import Observation

/// The records of a query as an observable object: views that read ``rows`` are drawn again when they
/// change.
///
/// ```swift
/// struct DogList: View {
///   @State var dogs: LiveQuery<Dog>
///   var body: some View {
///     List {
///       ForEach(dogs.rows, id: \.id) { Text($0.name) }
///         .onDelete { dogs.remove(atOffsets: $0) }
///     }
///   }
/// }
/// ```
///
/// Without SwiftUI, `withObservationTracking` and `Observations` do the same on every system. Rows are
/// values: deleting a record that is shown takes nothing away from a view that still draws it.
@MainActor @Observable
public final class LiveQuery<Root: Model> {
  /// The rows of the last commit that changed them.
  public private(set) var rows = ObservedRows<Root>()
  /// What is between ``rows`` and the rows before; `nil` for the first rows of a query.
  public private(set) var difference: RowDifference?
  /// Whether the rows of the query have come.
  public private(set) var isLoaded = false
  /// Why there are no more changes, or why a change that was asked for was not made.
  public private(set) var error: StoreError?

  /// The store.
  @ObservationIgnored public let store: Store

  /// The query; the rows of a new one take the place of the old ones as soon as they are read.
  public var query: TypedQuery<Root> {
    didSet { observe() }
  }

  @ObservationIgnored private var task: Task<Void, Never>?
  /// Tells the rows of this query from those of one before that are still on their way.
  @ObservationIgnored private var generation = 0

  /// Observes a query.
  public init(_ store: Store, _ query: TypedQuery<Root> = Root.all) {
    self.store = store
    self.query = query
    observe()
  }

  deinit { task?.cancel() }

  /// Begins again after an error.
  public func restart() { observe() }

  private func observe() {
    task?.cancel()
    generation += 1
    error = nil
    let (changes, generation) = (store.changes(of: query), generation)
    task = Task { [weak self] in
      do throws(StoreError) {
        for try await change in changes {
          guard let self, self.generation == generation else { return }
          take(change)
        }
      } catch {
        guard let self, self.generation == generation else { return }
        self.error = error
      }
    }
  }

  private func take(_ change: QueryChange<Root>) {
    rows = change.rows
    switch change {
    case .initial:
      difference = nil
      isLoaded = true
    case .update(_, let difference): self.difference = difference
    }
  }

  /// Runs a change and keeps its error.
  func surface(_ change: @escaping @MainActor () async throws -> Void) {
    Task {
      do {
        try await change()
      } catch {
        self.error =
          error as? StoreError
          ?? StoreError(.internalError, "a change failed: \(type(of: error))")
      }
    }
  }
}
