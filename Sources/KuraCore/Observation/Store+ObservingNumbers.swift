extension Store {
  /// Numbers over the records of a query, now and whenever one of them is another one.
  ///
  /// They are kept up to date by the changed records alone, whatever the number of records: an average
  /// over a million is not read again. Sums of doubles are rounded once, at the end.
  ///
  /// - Parameter aggregates: The numbers wanted, in the order of the result; see
  ///   ``ReadTransaction/Aggregate`` for empty sets.
  public func values(of query: Query, _ aggregates: [ReadTransaction.Aggregate])
    -> ValueChanges<[StoredValue]>
  {
    numbers({ () throws(StoreError) in query }, aggregates) { $0 }
  }

  /// The number of records of a query, now and whenever it is another one.
  public func counts(of query: Query) -> ValueChanges<Int> {
    numbers({ () throws(StoreError) in query }, [.count]) { $0.first?.asCount ?? 0 }
  }

  /// The number of records of a query, now and whenever it is another one.
  ///
  /// ```swift
  /// for try await count in store.counts(of: Task.where { $0.isDone == false }) { badge = count }
  /// ```
  public func counts<Root: Model>(of query: TypedQuery<Root>) -> ValueChanges<Int> {
    numbers({ () throws(StoreError) in try query.query() }, [.count]) { $0.first?.asCount ?? 0 }
  }

  /// The mean of a property's values, now and whenever it is another one; `nil` when there is none.
  ///
  /// ```swift
  /// for try await average in store.averages(of: CoopResult.all, { $0.goldenEggs }) { … }
  /// ```
  public func averages<Root: Model, Value>(
    of query: TypedQuery<Root>, _ property: ReadTransaction.Selection<Root, Value>
  ) -> ValueChanges<Double?> {
    let name = property(Root.modelProperties).path.description
    return numbers({ () throws(StoreError) in try query.query() }, [.average(name)]) { values in
      if case .double(let mean)? = values.first { mean } else { nil }
    }
  }

  /// The sum of a property's values, now and whenever it is another one; zero when there is none.
  public func sums<Root: Model, Value: Numeric & Sendable>(
    of query: TypedQuery<Root>, _ property: ReadTransaction.Selection<Root, Value>
  ) -> ValueChanges<Value> {
    number(query, property(Root.modelProperties), .zero) { .sum($0) }
  }

  /// The least value of a property, now and whenever it is another one; `nil` when there is none.
  public func minimums<Root: Model, Value: Sendable>(
    of query: TypedQuery<Root>, _ property: ReadTransaction.Selection<Root, Value>
  ) -> ValueChanges<Value?> {
    number(query, property(Root.modelProperties).optional, nil) { .minimum($0) }
  }

  /// The greatest value of a property, now and whenever it is another one; `nil` when there is none.
  public func maximums<Root: Model, Value: Sendable>(
    of query: TypedQuery<Root>, _ property: ReadTransaction.Selection<Root, Value>
  ) -> ValueChanges<Value?> {
    number(query, property(Root.modelProperties).optional, nil) { .maximum($0) }
  }

  private func number<Root: Model, Value: Sendable>(
    _ query: TypedQuery<Root>, _ property: Property<Root, Value>, _ none: Value,
    _ aggregate: (String) -> ReadTransaction.Aggregate
  ) -> ValueChanges<Value> {
    let (decode, name) = (property.decode, property.path.description)
    return numbers({ () throws(StoreError) in try query.query() }, [aggregate(name)]) {
      values throws(StoreError) in
      guard let value = values.first, !value.isNull else { return none }
      guard let decoded = decode(value) else {
        throw StoreError(
          .wrongType, "the number is beyond the property's type", found: value.typeName,
          expected: "\(Value.self)")
      }
      return decoded
    }
  }

  private func numbers<Value: Sendable>(
    _ query: @escaping @Sendable () throws(StoreError) -> Query,
    _ aggregates: [ReadTransaction.Aggregate],
    _ convert: @escaping @Sendable ([StoredValue]) throws(StoreError) -> Value
  ) -> ValueChanges<Value> {
    ValueChanges { () throws(StoreError) in
      let query = try query()
      let plan = try self.plan(query, lists: [], properties: nil)
      var functions: [AggregateRequest.Function] = []
      for aggregate in aggregates {
        functions.append(try aggregate.function(plan.query.layout))
      }
      try AggregateRequest(plan.query, functions).check()
      return Observer<NumberState, Value>(
        self, models: plan.models, NumberState(plan, functions)
      ) { state, transaction, known throws(StoreError) in
        let changes: [(ChangeSet, isSkipped: Bool)]? =
          if case .changes(let changes) = known { changes } else { nil }
        let values = try state.look(transaction.engineTransaction, changes)
        return try values.map(convert)
      }
    }
  }
}

extension StoredValue {
  fileprivate var asCount: Int? {
    if case .integer(let number) = self { Int(clamping: number) } else { nil }
  }
}
