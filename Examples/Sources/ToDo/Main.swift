import Kura

/// Tasks by category: what the view shows after each of its gestures.
@main enum Main {
  static func main() async throws {
    let format: StoreFormat = CommandLine.arguments.dropFirst().first == "lmdb" ? .lmdb : .sqlite
    let store = try await Store.open(
      StoreConfiguration(
        at: .memory, schema: try Schema(version: 1, Category.self, Item.self), format: format))
    try await store.write { transaction in
      for (name, titles) in [
        "Home": ["Dishes", "Letters", "Plants", "Windows", "Floor"], "Work": ["Report"],
      ] {
        let tasks = titles.map { Item(title: $0) }
        try transaction.insert(contentsOf: tasks)
        try transaction.insert(Category(name: name, tasks: ReferenceList(tasks)))
      }
    }
    try await show(store, "At first")

    // Dragging the first two rows behind the fourth, as SwiftUI's onMove says it.
    try await store.update(Category.self, key: "Home") { category in
      category.tasks.move(fromOffsets: [0, 1], toOffset: 4)
    }
    try await show(store, "Two rows moved")

    // Swiping a row away deletes the task; the list lets go of it by itself.
    try await store.write { transaction in
      guard let home = try transaction.record(Category.self, key: "Home"),
        let element = home.tasks.first
      else { return }
      try transaction.delete(Item.self, key: element.key)
    }
    try await show(store, "The first row deleted")

    let done = try await store.write { transaction in
      try transaction.update(
        Item.where { $0.title.hasPrefix("P") || $0.title == "Report" }, set: { $0.isDone }, to: true
      )
    }
    try await show(store, "\(done) tasks done")

    _ = try await store.delete(Category.self, key: "Home")
    try await show(store, "A category deleted")
    try await store.close()
  }

  /// Each category with the number of its open tasks, and its tasks in order.
  static func show(_ store: Store, _ title: String) async throws {
    let categories = try await store.read { transaction in
      try transaction.records(Category.all).map { category in
        (category.name, try transaction.records(category.tasks))
      }
    }
    print(title)
    for (name, tasks) in categories {
      print("  \(name) (\(tasks.count { !$0.isDone }) open)")
      for task in tasks { print("    \(task.isDone ? "x" : "-") \(task.title)") }
    }
  }
}
