extension Store {
  /// Reads one snapshot on a thread of the store.
  ///
  /// - Returns: What the body returns.
  /// - Throws: As the synchronous form; ``StoreError/Code/cancelled`` when the task is cancelled
  ///   before the body begins.
  @discardableResult
  public func read<R: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (ReadTransaction) throws -> R
  ) async throws -> R {
    try await readerThreads.run { try self.read(body) }
  }

  /// Writes on the store's writer thread: all that the body does, or nothing when it throws.
  ///
  /// Writes happen in the order of the calls.
  ///
  /// - Parameter timeout: How long to wait at most, for earlier writes of this store as well; `nil`
  ///   waits for those without limit and for other writers as long as the configuration says.
  /// - Returns: What the body returns, after the commit.
  /// - Throws: As the synchronous form; ``StoreError/Code/cancelled`` when the task is cancelled
  ///   before the body begins.
  @discardableResult
  public func write<R: Sendable>(
    timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    return try await writerThread.run {
      let rest = deadline.map { max(.zero, $0 - ContinuousClock.now) }
      return try self.write(timeout: rest, body)
    }
  }

  /// Closes the store when its running transactions have ended; more calls do nothing.
  ///
  /// - Throws: As the synchronous form.
  public func close(timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation)
    async throws(StoreError)
  {
    try await Store.detached { () throws(StoreError) in try self.close(timeout: timeout) }
  }

  /// Runs a body on a thread of its own.
  static func detached<R: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let thread = WorkerThreads(maximum: 1)
    do {
      return try await thread.run { try body() }
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.internalError, "a call ended in an unexpected way: \(type(of: error))")
    }
  }
}
