import Kura
import Observation
import Testing

@testable import KuraCore

@Model struct Chore {
  @PrimaryKey var id: Int
  var title: String
  var position: Int
  @Indexed var category: String = ""
}

/// The patterns of views over a store: drawn again on changes, deleted while shown, moved, counted.
@Suite("Live queries")
@MainActor
struct LiveQueryTests {
  nonisolated static let formats: [StoreFormat] = [.sqlite, .lmdb]

  private func store(_ format: StoreFormat, _ positions: [Int]) throws -> Store {
    let store = try Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Chore.self), format: format))
    try store.write { transaction in
      for (id, position) in positions.enumerated() {
        try transaction.insert(Chore(id: id, title: "\(id)", position: position))
      }
    }
    return store
  }

  /// Waits until a condition on observed properties holds, as a view does that is drawn on each change.
  private func until(_ condition: @escaping @MainActor () -> Bool) async {
    while true {
      let isDone = await withCheckedContinuation { continuation in
        var holds = false
        let once = Once(continuation)
        withObservationTracking {
          holds = condition()
        } onChange: {
          once.resume(false)
        }
        if holds { once.resume(true) }
      }
      if isDone { return }
    }
  }

  /// What a button does: it waits for nothing.
  private func press(_ action: () -> Void) { action() }

  /// A continuation that both sides may end.
  private final class Once: Sendable {
    private let continuation: Monitor<CheckedContinuation<Bool, Never>?>
    init(_ continuation: CheckedContinuation<Bool, Never>) {
      self.continuation = Monitor(continuation)
    }
    func resume(_ value: Bool) {
      continuation.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }?.resume(returning: value)
    }
  }

  @Test(arguments: formats) func `rows follow the store and a new query`(format: StoreFormat)
    async throws
  {
    let store = try store(format, [0, 1, 2])
    let live = LiveQuery(store, Chore.all.sorted(by: { $0.position }))
    await until { live.rows.count == 3 }
    #expect(live.isLoaded && live.difference == nil)
    press { live.append(Chore(id: 9, title: "new", position: -1)) }
    await until { live.rows.count == 4 }
    #expect(live.rows.map(\.id) == [9, 0, 1, 2])
    #expect(live.difference?.insertions.map(\.index) == [0])
    live.query = Chore.where { $0.position > 0 }.sorted { $0.position.descending }
    await until { live.rows.count == 2 }
    #expect(live.rows.map(\.id) == [2, 1] && live.error == nil)
  }

  @Test(arguments: formats) func `what is deleted is what was shown`(format: StoreFormat)
    async throws
  {
    let store = try store(format, [0, 1, 2, 3])
    let live = LiveQuery(store, Chore.all)
    await until { live.rows.count == 4 }
    let shown = live.rows
    // Somebody else is first; the offsets are those of the rows that the view shows.
    try await store.delete(Chore.self, key: 0)
    try await live.remove(atOffsets: [0, 2, 17])
    await until { live.rows.count == 2 }
    #expect(live.rows.map(\.id) == [1, 3])
    #expect(shown.map(\.title) == ["0", "1", "2", "3"])
  }

  @Test(arguments: formats) func `a change that fails is an error to show`(format: StoreFormat)
    async throws
  {
    let store = try store(format, [0])
    let live = LiveQuery(store, Chore.all)
    await until { live.isLoaded }
    press { live.append(Chore(id: 0, title: "again", position: 0)) }
    await until { live.error != nil }
    #expect(live.error?.code == .duplicateKey && live.rows.count == 1)
    try await store.close()
    await until { live.error?.code == .closed }
  }

  @Test(arguments: formats) func `rows are moved by the numbers that order them`(
    format: StoreFormat
  )
    async throws
  {
    let store = try store(format, [10, 20, 30, 40, 50])
    let live = LiveQuery(store, Chore.all.sorted(by: { $0.position }))
    await until { live.rows.count == 5 }
    try await live.move(fromOffsets: [0, 2], toOffset: 4, ordering: { $0.position })
    await until { live.rows.first?.id == 1 }
    #expect(live.rows.map(\.id) == [1, 3, 0, 2, 4])
    #expect(live.rows.map(\.position) == [10, 20, 30, 40, 50])
    await #expect {
      try await live.move(fromOffsets: [0], toOffset: 2, ordering: { $0.id })
    } throws: {
      ($0 as? StoreError)?.code == .invalidQuery
    }
    // Back, and beyond the ends nothing.
    try await live.move(fromOffsets: [4, -1, 9], toOffset: -3, ordering: { $0.position })
    await until { live.rows.first?.id == 4 }
    #expect(live.rows.map(\.id) == [4, 1, 3, 0, 2])
  }

  @Test(arguments: formats) func `equal numbers are made different by a move`(format: StoreFormat)
    async throws
  {
    let store = try store(format, [0, 0, 0, 0, 7])
    for isDescending in [false, true] {
      let query =
        isDescending
        ? Chore.all.sorted { $0.position.descending } : Chore.all.sorted(by: { $0.position })
      let live = LiveQuery(store, query)
      await until { live.rows.count == 5 }
      var expected = live.rows.map(\.id)
      let row = expected.remove(at: 3)
      expected.insert(row, at: 1)
      try await live.move(fromOffsets: [3], toOffset: 1, ordering: { $0.position })
      await until { live.rows.map(\.id) == expected }
      #expect(live.rows.map(\.id) == expected)
    }
  }

  @Test(arguments: formats) func `an average stays true`(format: StoreFormat) async throws {
    let store = try store(format, [1, 2, 6])
    let average = LiveValue(store.averages(of: Chore.all, { $0.position }))
    let count = LiveValue(store.counts(of: Chore.where { $0.position > 1 }))
    await until { average.value != nil && count.value != nil }
    #expect(average.value == 3 && count.value == 2)
    try await store.delete(Chore.self, key: 2)
    await until { average.value == 1.5 && count.value == 1 }
    try await store.write { try $0.deleteAll(Chore.self) }
    await until { average.value == .some(nil) && count.value == 0 }
    #expect(average.error == nil)
  }
}
