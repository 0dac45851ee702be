import Kura
import PlainC

/// Values of types with `@Model` against C structs, on either backend.
struct TypedWorkloads {
  /// The most that a ratio may be.
  struct Targets {
    var fetch: Double
    var insert: Double
    var points: Double
    var index: Double
    var numbers: Double
  }

  let kura: StoreWorkloads
  let folder: String
  let targets: Targets

  /// A twentieth of all ages.
  private let ages: ClosedRange<Int64> = 40...44

  private var rows: Int64 { kura.arguments.rows }
  private var rounds: Int { kura.arguments.rounds }

  private func open(_ name: String, _ type: any Model.Type) throws -> Store {
    try Store.open(
      StoreConfiguration(
        at: .file(path(name)), schema: Schema(version: 1, type),
        backends: [kura.backend]))
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).\(kura.name)" }

  /// Fills a store, and copies its file for the C side, which may not open it beside Kura.
  private func fill<M: Model>(_ name: String, _ count: Int64, _ record: (Int64) -> M) throws
    -> String
  {
    removeStore(path(name))
    let store = try open(name, M.self)
    try store.write { transaction in
      for number in 1...count { try transaction.insert(record(number)) }
    }
    try store.close()
    let copy = path("plain-" + name)
    removeStore(copy)
    guard plain_copy(path(name), copy) == 0 else { throw BenchmarkError("cannot copy \(name)") }
    return copy
  }

  private func insert() throws -> Int64 {
    removeStore(path("written"))
    let store = try open("written", Person.self)
    let sum = try store.write { transaction in
      var sum: Int64 = 0
      for number in 1...rows {
        try transaction.insert(Person(number: number))
        sum += number
      }
      return sum
    }
    try store.close()
    return sum
  }

  private func fetch(_ store: Store) throws -> Int64 {
    sum(try store.read { try $0.records(Person.all) })
  }

  private func fetchAges(_ store: Store) throws -> Int64 {
    let query = IndexedPerson.where { $0.age >= ages.lowerBound && $0.age <= ages.upperBound }
      .sorted { $0.age.ascending }.sorted { $0.id.ascending }
    return sum(try store.read { try $0.records(query) })
  }

  private func fetchNumbers(_ store: Store) throws -> Int64 {
    sum(try store.read { try $0.records(Numbers.all) })
  }

  private func pointReads(_ store: Store) throws -> Int64 {
    try store.read { transaction in
      var total: Int64 = 0
      for step in 0..<kura.arguments.pointReads {
        let key = plain_random_key(step, rows)
        guard let person = try transaction.record(Person.self, key: key) else {
          throw BenchmarkError("a key is missing")
        }
        total += person.sum
      }
      return total
    }
  }

  private func sumOfAges(_ store: Store) throws -> Int64 {
    let average = try store.read { try $0.average(Person.all, of: \.age) }
    return Int64(((average ?? 0) * Double(rows)).rounded())
  }

  /// What the C side does.
  struct Plain {
    var insert: () -> Int64
    var fetch: () -> Int64
    var points: () -> Int64
    var ages: () -> Int64
    var numbers: () -> Int64
    var sumOfAges: (() -> Int64)?
  }

  /// The files that C reads.
  struct Files {
    var people: String
    var indexed: String
    var numbers: String
  }

  func measure(_ side: (Files) throws -> Plain) throws -> [Measurement] {
    let numbers = rows / 5
    let files = Files(
      people: try fill("people", rows) { Person(number: $0) },
      indexed: try fill("indexed", rows) { IndexedPerson(Person(number: $0)) },
      numbers: try fill("numbers", numbers) { Numbers(number: $0) })
    let plain = try side(files)
    let stores = (
      people: try open("people", Person.self), indexed: try open("indexed", IndexedPerson.self),
      numbers: try open("numbers", Numbers.self)
    )
    defer {
      try? stores.people.close()
      try? stores.indexed.close()
      try? stores.numbers.close()
    }
    var results = [
      try compare(
        "insert, one transaction", rounds: rounds, target: targets.insert,
        plain: plain.insert, kura: insert),
      try compare(
        "fetch all into an array of structs", rounds: rounds, target: targets.fetch,
        plain: plain.fetch, kura: { try fetch(stores.people) }),
      try compare(
        "point reads by random key", rounds: rounds, target: targets.points,
        plain: plain.points, kura: { try pointReads(stores.people) }),
      try compare(
        "a twentieth of all by an index", rounds: rounds, target: targets.index,
        plain: plain.ages, kura: { try fetchAges(stores.indexed) }),
      try compare(
        "\(numbers) of ten integers", rounds: rounds, target: targets.numbers,
        plain: plain.numbers, kura: { try fetchNumbers(stores.numbers) }),
    ]
    if let sum = plain.sumOfAges {
      results.append(
        try compare(
          "average without an index", rounds: rounds, target: 1.1,
          plain: sum, kura: { try sumOfAges(stores.people) }))
    }
    return results
  }

  func measureSQLite() throws -> [Measurement] {
    let scratch = folder + "/plain-written.sqlite"
    return try measure { files in
      Plain(
        insert: {
          removeStore(scratch)
          return plain_insert_structs(scratch, rows)
        },
        fetch: { plain_fetch(files.people) },
        points: { plain_point_structs(files.people, rows, kura.arguments.pointReads) },
        ages: { plain_fetch_ages(files.indexed, ages.lowerBound, ages.upperBound) },
        numbers: { plain_fetch_numbers(files.numbers) })
    }
  }

  func measureLMDB() throws -> [Measurement] {
    let scratch = folder + "/plain-written.lmdb"
    var opened: [OpaquePointer] = []
    defer { for file in opened { plain_lmdb_close(file) } }
    func open(_ path: String) throws -> OpaquePointer {
      guard let file = plain_lmdb_open(path) else { throw BenchmarkError("cannot open \(path)") }
      opened.append(file)
      return file
    }
    return try measure { files in
      let people = try open(files.people)
      let indexed = try open(files.indexed)
      let numbers = try open(files.numbers)
      return Plain(
        insert: {
          removeStore(scratch)
          return plain_lmdb_insert_structs(scratch, rows)
        },
        fetch: { plain_lmdb_fetch(people) },
        points: { plain_lmdb_point_structs(people, rows, kura.arguments.pointReads) },
        ages: { plain_lmdb_fetch_ages(indexed, ages.lowerBound, ages.upperBound) },
        numbers: { plain_lmdb_fetch_numbers(numbers) },
        sumOfAges: { plain_lmdb_sum_ages(people) })
    }
  }
}
