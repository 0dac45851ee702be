extension Store {
  /// One record, now and after each commit that changes, deletes or makes it, of this or another process.
  ///
  /// ```swift
  /// for try await change in store.changes(of: Dog.self, key: id) {
  ///   switch change {
  ///   case .initial(let dog): show(dog)
  ///   case .update(let dog, let properties): show(dog, highlighting: properties)
  ///   case .deletion: dismiss()
  ///   }
  /// }
  /// ```
  public func changes<Root: Model>(of type: Root.Type, key: Root.Key)
    -> ValueChanges<RecordChange<Root>>
  {
    ValueChanges { () throws(StoreError) in
      _ = try self.layout(of: Root.modelName)
      let state = RecordState<Root>(try key.recordKey())
      return Observer<RecordState<Root>, RecordChange<Root>>(
        self, models: state.models, state
      ) { state, transaction, known throws(StoreError) in
        try state.look(transaction, isFirst: known.isFirst, known.changes)
      }
    }
  }

  /// One list of a record, now and after each commit that changes it.
  ///
  /// ```swift
  /// for try await change in store.changes(of: Series.self, key: id, list: { $0.books }) { … }
  /// ```
  public func changes<Root: Model, Target: Model>(
    of type: Root.Type, key: Root.Key, list: (Root.Properties) -> ListProperty<Root, Target>
  ) -> ValueChanges<ListChange<Target>> {
    let path = list(Root.modelProperties).path
    return ValueChanges { () throws(StoreError) in
      let name = ListDescription.modelName(Root.modelName, path.description)
      let state = ListState<Target>(try key.recordKey(), try self.layout(of: name))
      return Observer<ListState<Target>, ListChange<Target>>(
        self, models: [name], state
      ) { state, transaction, known throws(StoreError) in
        try state.look(transaction.engineTransaction, isFirst: known.isFirst, known.changes)
      }
    }
  }

  /// What commits change, of any model.
  ///
  /// The first element is empty: whatever is committed after it was given will be told. Commits of other
  /// processes and very large ones are told as ``ChangeSet/ModelChanges/everything``.
  public func changes() -> ValueChanges<ChangeSet> {
    ValueChanges { () throws(StoreError) in
      Observer<Bool, ChangeSet>(self, models: nil, false) { _, _, known throws(StoreError) in
        switch known {
        case .isFirst: return ChangeSet()
        case .unknown: return .unknown
        case .changes(let changes):
          var all = ChangeSet()
          for (set, _) in changes { all.merge(set, limit: ChangeRecorder.defaultLimit) }
          return all.isEmpty ? nil : all
        }
      }
    }
  }
}

extension Observer.Knowledge {
  /// Whether there was no look before.
  var isFirst: Bool {
    if case .isFirst = self { true } else { false }
  }

  /// What changed; `nil` for anything.
  var changes: [(ChangeSet, isSkipped: Bool)]? {
    if case .changes(let changes) = self { changes } else { nil }
  }
}
