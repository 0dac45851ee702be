/// A value computed of a store, now and whenever it is another one; see
/// ``Store/counts(of:)-(TypedQuery<Root>)``.
///
/// Each iterator is an observation of its own. It gives the value as it is first, and then waits.
/// Commits that happen before the next element is asked for come as one. It ends with the task that
/// waits for it, and with an error; a closed store is ``StoreError/Code/closed``.
public struct ValueChanges<Value: Sendable>: AsyncSequence, Sendable {
  let begin: @Sendable () throws(StoreError) -> any ValueObserver<Value>

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(begin) }

  /// The iterator of an observation.
  public struct Iterator: AsyncIteratorProtocol {
    private var observer: (any ValueObserver<Value>)?
    private let begin: @Sendable () throws(StoreError) -> any ValueObserver<Value>

    fileprivate init(_ begin: @escaping @Sendable () throws(StoreError) -> any ValueObserver<Value>)
    {
      self.begin = begin
    }

    /// The next value; `nil` when the task is cancelled.
    ///
    /// - Throws: What reading it throws; ``StoreError/Code/closed`` when the store is closed.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation)
      async throws(StoreError) -> Value?
    {
      if let observer { return try await observer.next(isolation: actor) }
      let begun = try begin()
      observer = begun
      return try await begun.next(isolation: actor)
    }

    /// The next value; `nil` when the task is cancelled.
    public mutating func next() async throws(StoreError) -> Value? {
      try await next(isolation: nil)
    }
  }
}

/// An observation that gives values.
protocol ValueObserver<Output>: Sendable {
  associatedtype Output: Sendable
  func next(isolation: isolated (any Actor)?) async throws(StoreError) -> Output?
}

extension Observer: ValueObserver {}
