import Kura
import Testing

/// The Swift blocks of docs/observation.md, compiled here as they stand there and run.
@Suite("docs/observation.md")
struct ObservationExampleTests {
  // In a type of its own: `Task` is also the name of Swift's own.
  enum Sample {
    @Model struct Task {
      @PrimaryKey var id: Int
      var title: String
      var position: Int
      @Indexed var category: String
      var isDone = false
    }

    static func follow(_ store: Store, show: (ObservedRows<Task>, RowDifference?) -> Void)
      async throws
    {
      let open = Task.where { $0.isDone == false }.sorted(by: { $0.position })
      for try await change in store.changes(of: open) {
        switch change {
        case .initial(let rows): show(rows, nil)
        case .update(let rows, let difference): show(rows, difference)
        }
      }
    }

    static func others(_ store: Store) async throws {
      for try await count in store.counts(of: Task.where { $0.isDone == false }) { print(count) }
      for try await mean in store.averages(of: Task.all, { $0.position }) { print(mean ?? 0) }
      for try await change in store.changes(of: Task.self, key: 1) {
        switch change {
        case .initial(let task): print(task?.title ?? "there is none")
        case .update(let task, let properties): print(task.title, "differs in", properties)
        case .deletion: print("gone; it may come back")
        }
      }
      for try await set in store.changes() { print(set.models.keys.sorted()) }
    }

    @MainActor static func view(_ store: Store) -> LiveQuery<Task> {
      let tasks = LiveQuery(store, Task.all.sorted(by: { $0.position }))
      // Wherever these are read, a change draws the view again:
      print(tasks.rows.count, tasks.isLoaded, tasks.error?.message ?? "no error")
      // At run time; the old rows stay until the new ones have come:
      tasks.query = Task.where { $0.category == "home" }.sorted(by: { $0.position })
      // For onDelete and onMove: which records these are is decided by the rows that are shown.
      tasks.remove(atOffsets: [0])
      tasks.move(fromOffsets: [2, 3], toOffset: 0, ordering: { $0.position })
      tasks.append(Task(id: 7, title: "tea", position: 9, category: "home"))
      return tasks
    }

    static func delete(_ task: Task, in store: Store, from list: ChangeObservation) async throws {
      // `list` was given to store.changes(of:as:); its rows follow silently.
      try await store.write(notTelling: [list]) { _ = try $0.delete(task) }
    }
  }

  @Test func `the examples run`() async throws {
    let store = try await Store.open(
      StoreConfiguration(at: .memory, schema: try Schema(version: 1, Sample.Task.self)))
    let live = await Sample.view(store)
    // The last of its changes has been written when this one is.
    var titles = store.changes(of: Sample.Task.all).makeAsyncIterator()
    while try await titles.next()?.rows.map(\.title) != ["tea"] {}
    try await Sample.delete(
      Sample.Task(id: 7, title: "", position: 0, category: ""), in: store,
      from: ChangeObservation())
    #expect(try await store.count(Sample.Task.all) == 0)
    await #expect(live.error == nil)
    try await store.insert(Sample.Task(id: 1, title: "a", position: 1, category: ""))
    let following = Swift.Task {
      try await Sample.follow(store) { rows, difference in
        // What is shown first is all; nothing is told twice.
        #expect(rows.count == (difference == nil ? 1 : 2))
        guard difference == nil else { return withUnsafeCurrentTask { $0?.cancel() ?? () } }
        try? store.write { transaction in
          _ = try transaction.insert(Sample.Task(id: 2, title: "b", position: 0, category: ""))
        }
      }
    }
    try await following.value
    #expect(try await store.count(Sample.Task.all) == 2)
  }

  @Test func `the examples are those of the document`() throws {
    let source = RepositoryText.squeezed(
      try RepositoryText.read("Tests/DocumentationTests/ObservationExampleTests.swift")
    ).replacing("static func", with: "func")
    for block in try RepositoryText.blocks("swift", in: "docs/observation.md") {
      #expect(source.contains(RepositoryText.squeezed(block)), "\(block)")
    }
  }
}
