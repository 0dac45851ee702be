import Foundation
import Kura
import Testing

@testable import KuraCore

@Model struct Egg {
  @PrimaryKey var id: Int
  var color: String
  var weight: Double
}

@Model struct Nest {
  @PrimaryKey var id: Int
  var name: String
  @Relation(onDelete: .nullify) var eggs = ReferenceList<Egg>()
}

/// What observers are told, when, and what ends an observation.
@Suite("Observation")
struct ObservationTests {
  static let formats: [StoreFormat] = [.sqlite, .lmdb]

  private func store(_ format: StoreFormat, at location: StoreLocation = .memory) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: location, schema: try Schema(version: 1, Egg.self, Nest.self), format: format))
  }

  private func eggs(_ ids: some Sequence<Int>) -> [Egg] {
    ids.map { Egg(id: $0, color: "white", weight: Double($0)) }
  }

  @Test(arguments: formats) func `the first change is the initial one, with all that was committed`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    try await store.write { [eggs = eggs(1...3)] in try $0.insert(contentsOf: eggs) }
    var changes = store.changes(of: Egg.where { $0.weight > 1 }).makeAsyncIterator()
    try await store.insert(Egg(id: 9, color: "brown", weight: 9))
    guard case .initial(let rows)? = try await changes.next() else {
      Issue.record("no initial change")
      return
    }
    #expect(rows.map(\.id) == [2, 3, 9])
    try await store.delete(Egg.self, key: 2)
    guard case .update(let now, let difference)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(now.map(\.id) == [3, 9] && rows.map(\.id) == [2, 3, 9])
    #expect(difference.deletions.map(\.index) == [0] && difference.deletions[0].key == 2)
    #expect(difference.insertions.isEmpty && difference.modifications.isEmpty)
  }

  @Test(arguments: formats) func `who begins to observe during a write is told of it`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    // Somebody observes another model, so that changes are noted, but not those of nests.
    var others = store.changes(of: Egg.all).makeAsyncIterator()
    _ = try await others.next()
    let (writes, writesBegun) = AsyncStream<Void>.makeStream()
    let mayGoOn = DispatchSemaphore(value: 0)
    let writing = Task {
      try await store.write { transaction in
        writesBegun.yield()
        mayGoOn.wait()
        try transaction.insert(Nest(id: 1, name: "first"))
      }
    }
    for await _ in writes { break }
    var nests = store.changes(of: Nest.all).makeAsyncIterator()
    guard case .initial(let none)? = try await nests.next() else {
      Issue.record("no initial change")
      return
    }
    #expect(none.isEmpty)
    mayGoOn.signal()
    try await writing.value
    // One more, so that a change that was lost is missed instead of waited for.
    try await store.insert(Nest(id: 2, name: "second"))
    var ids: [Int] = []
    while !ids.contains(2), case .update(let rows, _)? = try await nests.next() {
      ids = rows.map(\.id)
    }
    #expect(ids == [1, 2])
  }

  @Test(arguments: formats) func `a commit of a hundred records is one change`(format: StoreFormat)
    async throws
  {
    let store = try store(format)
    var changes = store.changes(of: Egg.all.sorted { $0.weight.descending }).makeAsyncIterator()
    _ = try await changes.next()
    try await store.write { [eggs = eggs(1...100)] in try $0.insert(contentsOf: eggs) }
    let first = try await changes.next()
    guard case .update(let rows, let difference)? = first else {
      Issue.record("no update")
      return
    }
    #expect(rows.count == 100 && rows.first?.id == 100)
    #expect(difference.insertions.map(\.index) == Array(0..<100))
    // Ten commits of which nobody asked are one change as well; what came and went is none.
    for id in 101...110 { try await store.insert(Egg(id: id, color: "x", weight: 0)) }
    try await store.delete(Egg.self, key: 105)
    guard case .update(let more, let second)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(more.count == 109 && second.insertions.count == 9 && second.deletions.isEmpty)
  }

  @Test(arguments: formats) func `a changed order moves as few rows as there can be`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    try await store.write { [eggs = eggs(0..<10)] in try $0.insert(contentsOf: eggs) }
    var changes = store.changes(of: Egg.all.sorted(by: { $0.weight })).makeAsyncIterator()
    _ = try await changes.next()
    try await store.update(Egg.self, key: 2) { $0.weight = 7.5 }
    guard case .update(let rows, let difference)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(rows.map(\.id) == [0, 1, 3, 4, 5, 6, 7, 2, 8, 9])
    #expect(difference.moves.map { [$0.oldIndex, $0.newIndex] } == [[2, 7]])
    #expect(difference.modifications.map { [$0.oldIndex, $0.newIndex] } == [[2, 7]])
  }

  @Test(arguments: formats) func `equal values and other properties are no modification`(
    format: StoreFormat
  ) throws {
    let store = try store(format)
    try store.write { try $0.insert(contentsOf: eggs(1...3)) }
    let all = try store.changes(of: Egg.all).begin()
    let colors = try store.changes(of: Egg.all, properties: { ($0.color) }).begin()
    let weights = try store.changes(of: Egg.all, properties: { ($0.weight) }).begin()
    for observer in [all, colors, weights] { _ = try observer.look() }
    try store.write { transaction in
      _ = try transaction.update(Egg.self, key: 1) { $0.color = "white" }
      try transaction.upsert(Egg(id: 2, color: "white", weight: 2))
    }
    for observer in [all, colors, weights] { #expect(try observer.look() == nil) }
    try store.write { _ = try $0.update(Egg.self, key: 2) { $0.color = "blue" } }
    #expect(try weights.look() == nil)
    for observer in [all, colors] {
      guard case .update(let rows, let difference)? = try observer.look() else {
        Issue.record("no update")
        continue
      }
      #expect(rows[1].color == "blue" && difference.modifications.map(\.newIndex) == [1])
    }
    // The rows that come with the next change have it.
    try store.write { _ = try $0.update(Egg.self, key: 1) { $0.weight = 0 } }
    #expect(try weights.look()?.rows.map(\.color) == ["white", "blue", "white"])
  }

  @Test(arguments: formats) func `an observation is not told of writes that say so`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    let mine = ChangeObservation()
    var told = store.changes(of: Egg.all).makeAsyncIterator()
    var silent = store.changes(of: Egg.all, as: mine).makeAsyncIterator()
    _ = try await (told.next(), silent.next())
    try await store.write(notTelling: [mine]) { try $0.insert(Egg(id: 5, color: "", weight: 0)) }
    try await store.insert(Egg(id: 3, color: "", weight: 0))
    guard case .update(let rows, let difference)? = try await silent.next(),
      case .update(_, let whole)? = try await told.next()
    else {
      Issue.record("no update")
      return
    }
    // The index is that among rows to which the silent one belongs already.
    #expect(rows.map(\.id) == [3, 5] && difference.insertions.map(\.index) == [0])
    #expect(whole.insertions.map(\.index) == [0, 1])
  }

  @Test(arguments: formats) func `a record is told by its properties, its end and its return`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    try await store.write { [eggs = eggs(1...3)] transaction in
      try transaction.insert(contentsOf: eggs)
      try transaction.insert(Nest(id: 1, name: "a", eggs: ReferenceList(eggs)))
    }
    var changes = store.changes(of: Nest.self, key: 1).makeAsyncIterator()
    #expect(try await changes.next()?.record?.name == "a")
    try await store.update(Nest.self, key: 1) { $0.name = "b" }
    guard case .update(let nest, let properties)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(nest.name == "b" && properties == ["name"])
    // An element goes with the record that it refers to.
    try await store.delete(Egg.self, key: 2)
    guard case .update(let smaller, let lists)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(smaller.eggs.keys == [1, 3] && lists == ["eggs"])
    try await store.delete(Nest.self, key: 1)
    guard case .deletion? = try await changes.next() else {
      Issue.record("no deletion")
      return
    }
    try await store.insert(Nest(id: 1, name: "c"))
    guard case .update(let again, let all)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(again.name == "c" && all == ["id", "name", "eggs"])
  }

  @Test(arguments: formats) func `a list with duplicates is told by its elements`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    let eggs = eggs(1...3)
    let list = ReferenceList([eggs[0], eggs[1], eggs[0], eggs[2]])
    try await store.write { transaction in
      try transaction.insert(contentsOf: eggs)
      try transaction.insert(Nest(id: 1, name: "a", eggs: list))
    }
    var changes = store.changes(of: Nest.self, key: 1, list: { $0.eggs }).makeAsyncIterator()
    #expect(try await changes.next()?.list.keys == [1, 2, 1, 3])
    try await store.update(Nest.self, key: 1) { $0.eggs.move(fromOffsets: [0], toOffset: 4) }
    guard case .update(let moved, let difference)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(moved.keys == [2, 1, 3, 1])
    #expect(difference.moves.map { [$0.oldIndex, $0.newIndex] } == [[0, 3]])
    try await store.delete(Nest.self, key: 1)
    guard case .update(let empty, let rest)? = try await changes.next() else {
      Issue.record("no update")
      return
    }
    #expect(empty.isEmpty && rest.deletions.count == 4)
  }

  @Test(arguments: formats) func `a store tells what its commits change`(format: StoreFormat)
    async throws
  {
    let store = try store(format)
    var changes = store.changes().makeAsyncIterator()
    #expect(try await changes.next()?.isEmpty == true)
    try await store.write { [eggs = eggs(1...2)] in try $0.insert(contentsOf: eggs) }
    try await store.update(Egg.self, key: 1) { $0.weight = 4 }
    try await store.update(Egg.self, key: 2) { $0.color = "red" }
    try await store.delete(Egg.self, key: 2)
    let set = try #require(try await changes.next())
    #expect(
      set.models == [
        "Egg": .records([.init(key: 1, kind: .insertion, properties: .all)])
      ])
  }

  @Test(arguments: formats) func `an observation ends with its task and with the store`(
    format: StoreFormat
  ) async throws {
    let store = try store(format)
    let waiting = Task {
      var count = 0
      for try await _ in store.changes(of: Egg.all) { count += 1 }
      return count
    }
    let closed = Task {
      for try await _ in store.changes(of: Egg.all) {}
    }
    // Both have begun when both are told of a commit.
    var mine = store.changes(of: Egg.all).makeAsyncIterator()
    _ = try await mine.next()
    waiting.cancel()
    #expect(try await waiting.value <= 1)
    try await store.close()
    await #expect { try await closed.value } throws: { ($0 as? StoreError)?.code == .closed }
    await #expect { try await mine.next() } throws: { ($0 as? StoreError)?.code == .closed }
    // Nothing after the error.
    #expect(try await mine.next() == nil)
    #expect(!store.hub.isObserved)
  }

  @Test(arguments: formats) func `commits of others are told as well`(format: StoreFormat)
    async throws
  {
    let folder = try TemporaryFolder()
    let path = StoreLocation.file(folder.file("eggs.kura"))
    let (mine, other) = (try store(format, at: path), try store(format, at: path))
    var changes = mine.changes(of: Egg.all.sorted(by: { $0.color })).makeAsyncIterator()
    var count = mine.counts(of: Egg.all).makeAsyncIterator()
    _ = try await (changes.next(), count.next())
    for id in 1...5 {
      try await other.insert(Egg(id: id, color: "\(9 - id)", weight: 1))
      let change = try #require(try await changes.next())
      #expect(change.rows.map(\.id) == Array((1...id).reversed()))
      #expect(try await count.next() == id)
      try await mine.update(Egg.self, key: id) { $0.weight = 2 }
      #expect(try await changes.next()?.rows.first?.weight == 2)
    }
  }

  @Test(arguments: formats) func `own commits are followed record by record, also in files`(
    format: StoreFormat
  ) throws {
    let folder = try TemporaryFolder()
    let places: [StoreLocation] = [.memory, .file(folder.file("eggs.kura"))]
    for location in places {
      let store = try store(format, at: location)
      let observer = try store.changes(of: Egg.all).begin()
      _ = try observer.look()
      for id in 1...3 {
        try store.write { try $0.insert(Egg(id: id, color: "", weight: 0)) }
        // What nobody observes is no news.
        try store.write { try $0.insert(Nest(id: id, name: "")) }
      }
      try store.read { transaction in
        let news = store.hub.news(
          for: observer.id, through: transaction.engineTransaction.commitNumber,
          until: ContinuousClock.now + .seconds(5))
        guard case .changes(let changes) = news else {
          Issue.record("not followed: \(news)")
          return
        }
        var all = ChangeSet()
        for (set, _) in changes { all.merge(set, limit: 100) }
        #expect(
          all.models == [
            "Egg": .records(
              (1...3).map {
                .init(key: RecordKey(.integer($0)), kind: .insertion, properties: .all)
              })
          ])
      }
    }
  }

  @Test func `how a query follows is explained`() throws {
    let store = try store(.sqlite)
    try store.read { (transaction) throws in
      #expect(
        try transaction.explainChanges(of: Egg.all.sorted(by: { $0.weight }))
          == "follow: look at the changed records only")
      #expect(
        try transaction.explainChanges(of: Egg.all.limit(3))
          == "follow: run again after changes of Egg, because what leaves the window lets others in"
      )
    }
  }
}
