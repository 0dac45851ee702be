import Foundation
import Kura
import Testing

@Suite("Records of a store")
struct StoreRecordTests {
  let store: Store

  init() throws {
    store = try Store.open(StoreConfiguration(at: .memory, schema: try SampleSchema.dogs()))
    try store.write { transaction in
      for (name, age) in [("Rex", 3), ("Ada", 7), ("Bo", 7), ("Io", nil)] as [(String, Int64?)] {
        try transaction.insert(
          "Dog", ["name": .text(name), "age": age.map { .integer($0) } ?? .null])
      }
    }
  }

  private func names(_ query: Query) throws -> [String] {
    try store.read { try $0.records(query).map { try $0.value("name", as: String.self) } }
  }

  @Test func `queries order, filter and cut`() throws {
    let old = Condition.comparison(.property("age"), .greater, .value(3))
    #expect(try names(Query("Dog", where: old)) == ["Ada", "Bo"])
    #expect(
      try names(Query("Dog", order: [SortTerm("name", isDescending: true)], limit: 2))
        == ["Rex", "Io"])
    try store.read { transaction in
      #expect(try transaction.first(Query("Dog", offset: 1))?["name"] == "Ada")
      #expect(try transaction.first(Query("Dog", where: .never)) == nil)
      #expect(try transaction.exists(Query("Dog", where: old)))
      #expect(try !transaction.exists(Query("Dog", where: .never)))
      #expect(try !transaction.exists(Query("Dog", offset: 4)))
      #expect(try transaction.count(Query("Dog", where: old)) == 2)
      #expect(try transaction.sum(Query("Dog"), of: "age") == 17)
      #expect(try transaction.minimum(Query("Dog"), of: "name") == "Ada")
      #expect(try transaction.maximum(Query("Dog"), of: "age") == 7)
      let mean = try #require(try transaction.average(Query("Dog"), of: "age"))
      #expect(abs(mean - 17.0 / 3) < 1e-12)
      #expect(try !transaction.explain(Query("Dog", where: old)).isEmpty)
    }
  }

  @Test func `rows have columns, and groups their numbers`() throws {
    try store.read { transaction in
      let ages = Query(
        "Dog", groups: ["age"], columns: [.property("age"), .count, .maximum("name")])
      let expected: [[StoredValue]] = [[.null, 1, "Io"], [3, 1, "Rex"], [7, 2, "Bo"]]
      #expect(try transaction.rows(ages) == expected)
      var walked: [[StoredValue]] = []
      try transaction.forEachRow(ages) { walked.append($0) }
      #expect(walked == expected)
      #expect(
        try transaction.explain(ages).last
          == "group (age), neighbours together: age, @count, @max.name")
      let names = Query("Dog", limit: 2, columns: [.property("name")])
      #expect(try transaction.rows(names) == [["Rex"], ["Ada"]])
      #expect(try transaction.rows(Query("Dog", columns: [.count, .sum("age")])) == [[4, 17]])
      #expect(throws: StoreError.self) { try transaction.records(ages) }
      #expect(throws: StoreError.self) { try transaction.count(names) }
    }
  }

  @Test func `forEach stops at the body's error`() throws {
    struct Stop: Error {}
    var seen = 0
    #expect(throws: Stop.self) {
      try store.read { transaction in
        try transaction.forEach(Query("Dog")) { _ in
          seen += 1
          if seen == 2 { throw Stop() }
        }
      }
    }
    #expect(seen == 2)
  }

  @Test func `changes by key and by query`() throws {
    try store.write { transaction in
      #expect(try transaction.update("Dog", key: 1, ["age": 4]))
      #expect(try !transaction.update("Dog", key: 99, ["age": 4]))
      let seven = Query("Dog", where: .comparison(.property("age"), .equal, .value(7)))
      #expect(try transaction.update(seven, set: ["weight": 2]) == 2)
      #expect(try transaction.record("Dog", key: 2)?["weight"] == 2.0)
      #expect(try transaction.delete(seven) == 2)
      #expect(try transaction.delete("Dog", key: 1))
      #expect(try transaction.count(Query("Dog")) == 1)
      var dog = try #require(try transaction.first(Query("Dog")))
      try dog.set("chip", "x1")
      #expect(try transaction.update(dog))
      #expect(try transaction.upsert(dog) == dog.key)
      #expect(try transaction.record("Dog", key: #require(dog.key)) == dog)
    }
  }

  @Test func `mistakes are errors with names and without values`() throws {
    let cases: [(StoreError.Code, (WriteTransaction) throws -> Void)] = [
      (.unknownModel, { _ = try $0.records(Query("Dgo")) }),
      (.unknownProperty, { try $0.insert("Dog", ["nmae": "secret"]) }),
      (.wrongType, { try $0.insert("Dog", ["name": 123_456]) }),
      (.missingValue, { try $0.insert("Dog", ["age": 1]) }),
      (.notStorable, { try $0.insert("Dog", ["name": "a", "weight": .double(.nan)]) }),
      (.wrongKey, { _ = try $0.record("Dog", key: "1") }),
      (.wrongKey, { try $0.update("Dog", key: 1, ["id": 5]) }),
      (.duplicateKey, { try $0.insert("Dog", ["id": 1, "name": "secret"]) }),
      (.unknownProperty, { _ = try $0.sum(Query("Dog"), of: "agee") }),
      (.invalidSQL, { _ = try $0.records(sql: "SELECT nothing FROM nowhere") }),
    ]
    try store.write { transaction in
      for (code, body) in cases {
        let error = try #require(throws: StoreError.self) { try body(transaction) }
        #expect(error.code == code)
        #expect(!error.description.contains("secret"))
        #expect(!error.description.contains("123456"))
      }
      #expect(try transaction.count(Query("Dog")) == 4)
    }
    let hint = try #require(throws: StoreError.self) { try store.makeRecord("Dgo") }
    #expect(hint.suggestion == "did you mean \"Dog\"?")
  }

  @Test func `a savepoint that throws undoes its part only`() throws {
    struct Stop: Error {}
    try store.write { transaction in
      try transaction.insert("Dog", ["name": "kept"])
      #expect(throws: Stop.self) {
        try transaction.savepoint {
          try transaction.delete(Query("Dog"))
          try transaction.savepoint { _ = try transaction.insert("Dog", ["name": "inner"]) }
          throw Stop()
        }
      }
      #expect(try transaction.savepoint { try transaction.delete("Dog", key: 1) })
    }
    #expect(try names(Query("Dog")) == ["Ada", "Bo", "Io", "kept"])
  }

  @Test func `what is kept beyond the closure throws`() throws {
    var kept: ReadTransaction?
    var walk: RecordWalk?
    try store.read { transaction in
      kept = transaction
      walk = try transaction.walk(Query("Dog"))
      _ = try walk?.next()
    }
    for body: () throws -> Void in [
      { _ = try kept?.count(Query("Dog")) }, { _ = try kept?.record("Dog", key: 1) },
      { _ = try walk?.next() },
    ] {
      let error = try #require(throws: StoreError.self) { try body() }
      #expect(error.code == .transactionEnded)
    }
  }

  @Test func `SQL reads with parameters, and writes only in a write`() throws {
    let rows = try store.read { transaction in
      try transaction.records(
        sql: "SELECT name AS n, age * 2 AS n FROM Dog WHERE age = :age ORDER BY id", ["age": 3])
    }
    #expect(rows.map { Array($0.values) } == [["Rex", 6]])
    let error = try #require(throws: StoreError.self) {
      try store.read { _ = try $0.records(sql: "DELETE FROM Dog") }
    }
    #expect(error.code == .readOnly)
    #expect(try store.write { try $0.execute(sql: "UPDATE Dog SET age = 1") } == 4)
  }

  @Test func `records are values that compare and describe themselves`() throws {
    let schema = try SampleSchema.dogs()
    let model = try #require(schema.model(named: "Dog"))
    let loose = try Record(model, ["name": "Zoe", "weight": 3])
    #expect(loose["weight"] == 3.0)
    #expect(
      loose.description == "Dog(id: null, name: text, age: null, weight: double, chip: null)")
    #expect(loose.key == nil)
    let key = try store.write { try $0.insert(loose) }
    let stored = try #require(try store.read { try $0.record("Dog", key: key) })
    #expect(stored != loose)
    var same = loose
    try same.set("id", 5)
    #expect(stored == same)
    #expect(throws: StoreError.self) { try same.value("age", as: Int.self) }
    #expect(throws: StoreError.self) { try same.value("name", as: Int.self) }
  }
}
