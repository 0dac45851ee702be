import Dispatch
import Kura
import PlainC

/// What observing costs: the observer for each commit, and the writer.
struct ObservationWorkloads {
  let kura: StoreWorkloads
  let folder: String

  /// So many records match in the large store of a million: a twentieth.
  private static let ages: ClosedRange<Int64> = 40...44
  private static let smallCount: Int64 = 1_000
  private static let commitCount = 200

  private var rows: Int64 { kura.arguments.rows }

  func measure() throws -> [Measurement] {
    let (small, large) = (try fill("few", Self.smallCount), try fill("many", rows))
    var found: [Measurement] = []
    found.append(
      try measure(
        "\(kura.name): sorted query, commit until told", try queryDelays(small),
        try queryDelays(large)))
    found.append(
      try measure(
        "\(kura.name): average, commit until told", try averageDelays(small),
        try averageDelays(large)))
    try small.close()
    try large.close()
    return found
  }

  /// The writer alone and with an observer.
  func measureWriter() throws -> [Measurement] {
    try [("unrelated", 1.1), ("same", 1.25)].map { (which: String, target: Double) in
      try compare(
        "\(kura.name): insert with an observer of the \(which) model",
        rounds: kura.arguments.rounds,
        target: target
      ) {
        try insert(nil)
      } kura: {
        try insert(which)
      }
    }
  }

  private func measure(_ name: String, _ small: [Double], _ large: [Double]) throws -> Measurement {
    let result = Measurement(
      name: name, plain: median(small), kura: median(large), target: 1.5, unit: "ms")
    progress(result)
    return result
  }

  private func fill(_ name: String, _ count: Int64) throws -> Store {
    let path = "\(folder)/observed-\(name).\(kura.name)"
    removeStore(path)
    let store = try open(path)
    try store.write { transaction in
      for number in 1...count { try transaction.insert(Person(number: number)) }
    }
    return store
  }

  private func open(_ path: String) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: .file(path), schema: Schema(version: 1, Person.self, Numbers.self),
        durability: .relaxed, backends: [kura.backend]))
  }

  /// The times from the call of a write of one record until the observer has the new rows.
  private func queryDelays(_ store: Store) throws -> [Double] {
    let query = Person.where { $0.age >= Self.ages.lowerBound && $0.age <= Self.ages.upperBound }
      .sorted(by: { $0.weight })
    let ids = try store.read { try $0.records(query.limit(Self.commitCount)) }.map(\.id)
    return try waiting {
      var changes = store.changes(of: query).makeAsyncIterator()
      guard var count = try await changes.next()?.rows.count else { return [] }
      var delays: [Double] = []
      for step in 0..<Self.commitCount {
        let start = plain_now_ms()
        try await store.update(Person.self, key: ids[step % ids.count]) { person in
          person.weight += 40
        }
        guard case .update(let rows, let difference)? = try await changes.next(),
          rows.count == count, !difference.modifications.isEmpty
        else { throw BenchmarkError("the observer was not told") }
        count = rows.count
        delays.append(plain_now_ms() - start)
      }
      return delays
    }
  }

  private func averageDelays(_ store: Store) throws -> [Double] {
    try waiting {
      var changes = store.averages(of: Person.all, { $0.weight }).makeAsyncIterator()
      _ = try await changes.next()
      var delays: [Double] = []
      for step in 1...Int64(Self.commitCount) {
        let start = plain_now_ms()
        try await store.update(Person.self, key: step) { $0.weight += 40 }
        guard try await changes.next() != nil else {
          throw BenchmarkError("the observer was not told")
        }
        delays.append(plain_now_ms() - start)
      }
      return delays
    }
  }

  private func insert(_ observed: String?) throws -> Int64 {
    let path = "\(folder)/observed-written.\(kura.name)"
    removeStore(path)
    let store = try open(path)
    let insert: @Sendable () throws -> Int64 = { [rows] in
      try store.write { transaction in
        var sum: Int64 = 0
        for number in 1...rows {
          try transaction.insert(Person(number: number))
          sum += number
        }
        return sum
      }
    }
    defer { try? store.close() }
    switch observed {
    case nil: return try insert()
    case "same":
      return try waiting {
        var changes = store.changes(of: Person.where { $0.age > 1_000 }).makeAsyncIterator()
        _ = try await changes.next()
        return try insert()
      }
    default:
      return try waiting {
        var changes = store.changes(of: Numbers.all).makeAsyncIterator()
        _ = try await changes.next()
        return try insert()
      }
    }
  }

  /// Runs asynchronous work to its end.
  private func waiting<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
    let (done, result) = (DispatchSemaphore(value: 0), Outcome<R>())
    Task.detached {
      do {
        result.value = .success(try await body())
      } catch {
        result.value = .failure(error)
      }
      done.signal()
    }
    done.wait()
    guard let value = result.value else { throw BenchmarkError("nothing came") }
    return try value.get()
  }
}

/// Written by one thread before it signals, read by another one after that: hence `@unchecked Sendable`.
private final class Outcome<R>: @unchecked Sendable {
  var value: Result<R, any Error>?
}
