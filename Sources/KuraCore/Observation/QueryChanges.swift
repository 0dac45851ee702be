/// What happens to the records of a query.
public enum QueryChange<Element: Sendable>: Sendable {
  /// The rows when the observation began; always the first one.
  case initial(ObservedRows<Element>)
  /// The rows after one or more commits, and what is between these and the rows before.
  case update(ObservedRows<Element>, RowDifference)

  /// The rows now.
  public var rows: ObservedRows<Element> {
    switch self {
    case .initial(let rows), .update(let rows, _): rows
    }
  }
}

/// The changes of a query as they happen, from any process; see
/// ``Store/changes(of:properties:)-(TypedQuery<Root>,_)``.
///
/// Each iterator is an observation of its own. It gives the rows as they are first, and then waits.
/// Commits that happen before the next element is asked for come as one change. It ends with the task
/// that waits for it, and with an error; a closed store is ``StoreError/Code/closed``.
public struct QueryChanges<Row: Sendable>: AsyncSequence, Sendable {
  typealias MakeDecode = @Sendable (ReadTransaction) throws(StoreError) -> RowMaker<Row>.Decode

  let store: Store
  let makePlan: @Sendable () throws(StoreError) -> ObservationPlan
  let makeDecode: MakeDecode
  let observation: ChangeObservation?

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The iterator of an observation.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Progress {
      case new(QueryChanges)
      case running(Observer<QueryState<Row>, QueryChange<Row>>)
    }

    private var progress: Progress

    fileprivate init(_ changes: QueryChanges) { progress = .new(changes) }

    /// The next change; `nil` when the task is cancelled.
    ///
    /// - Throws: What reading the query throws; ``StoreError/Code/closed`` when the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation)
      async throws(StoreError) -> QueryChange<Row>?
    {
      switch progress {
      case .running(let observer): return try await observer.next()
      case .new(let changes):
        let observer = try changes.begin()
        progress = .running(observer)
        return try await observer.next()
      }
    }

    /// The next change; `nil` when the task is cancelled.
    public mutating func next() async throws(StoreError) -> QueryChange<Row>? {
      try await next(isolation: nil)
    }
  }

  func begin() throws(StoreError) -> Observer<QueryState<Row>, QueryChange<Row>> {
    let plan = try makePlan()
    let makeDecode = makeDecode
    let observer = Observer<QueryState<Row>, QueryChange<Row>>(
      store, models: plan.models, QueryState(plan)
    ) { state, transaction, news throws(StoreError) in
      let maker = RowMaker(
        state.plan, transaction.engineTransaction, try makeDecode(transaction))
      switch news {
      case .isFirst:
        _ = try state.rerun(maker)
        return .initial(ObservedRows(state.rows))
      case .unknown:
        let difference = try state.rerun(maker)
        return difference.isEmpty ? nil : .update(ObservedRows(state.rows), difference)
      case .changes(let changes):
        let difference = try state.follow(changes, maker)
        return difference.isEmpty ? nil : .update(ObservedRows(state.rows), difference)
      }
    }
    observation?.set(observer.id, of: store)
    return observer
  }
}
