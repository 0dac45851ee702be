extension LiveQuery {
  /// Deletes the records that are shown at offsets.
  ///
  /// Which records these are is decided now; what others change meanwhile moves nothing under it, and a
  /// record that is gone already is none less.
  ///
  /// - Throws: As ``WriteTransaction/delete(_:key:)-(Root.Type,_)``.
  public func remove(atOffsets offsets: some Sequence<Int>) async throws {
    let keys = offsets.compactMap { rows.key(at: $0) }
    try await store.write { transaction in
      for key in keys { try transaction.delete(Root.modelName, key: key) }
    }
  }

  /// Deletes the records that are shown at offsets; an error is in ``error``.
  public func remove(atOffsets offsets: some Sequence<Int>) {
    // The rows of now, not of when the task runs.
    let offsets = Array(offsets)
    let keys = offsets.compactMap { rows.key(at: $0) }
    let store = store
    surface {
      try await store.write { transaction in
        for key in keys { try transaction.delete(Root.modelName, key: key) }
      }
    }
  }

  /// Writes a new record.
  ///
  /// - Throws: As ``WriteTransaction/insert(_:)-(Root)``.
  public func append(_ record: Root) async throws { try await store.insert(record) }

  /// Writes a new record; an error is in ``error``.
  public func append(_ record: Root) {
    let store = store
    surface { try await store.insert(record) }
  }

  /// Moves rows before another one, in a query that is sorted by a property of integers first.
  ///
  /// Offsets are those of SwiftUI's `onMove`: of the rows as they are, and the place before which the
  /// moved ones come. The numbers that the rows in between have are given to them in their new order, so
  /// that no other record is written; where numbers repeat, also rows behind get greater ones.
  ///
  /// - Throws: As ``WriteTransaction/update(_:key:_:)-(String,_,_)``; ``StoreError/Code/invalidQuery``
  ///   when the query has another order.
  public func move(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    ordering property: (Root.Properties) -> Property<Root, Int>
  ) async throws {
    let change = movement(offsets, destination, property)
    try await store.write { try change.write(to: $0) }
  }

  /// Moves rows before another one; an error is in ``error``.
  public func move(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    ordering property: (Root.Properties) -> Property<Root, Int>
  ) {
    let change = movement(offsets, destination, property)
    let store = store
    surface { try await store.write { try change.write(to: $0) } }
  }

  private func movement(
    _ offsets: some Sequence<Int>, _ destination: Int,
    _ property: (Root.Properties) -> Property<Root, Int>
  ) -> RowMovement<Root> {
    RowMovement(
      rows: rows, query: query, property: property(Root.modelProperties).path.description,
      moved: Set(offsets.filter { $0 >= 0 && $0 < rows.count }),
      place: min(max(0, destination), rows.count))
  }
}
