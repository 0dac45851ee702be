import KuraCore
import KuraLMDB
import KuraSQLite
import KuraTesting
import Testing

/// What `BackendDifferential` found once, in its smallest form, with the right answer worked out by
/// hand: both backends must give it.
@Suite struct FoundDifferenceTests {
  /// One difference that is mended.
  struct Found: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answered: BackendDifferential.Case
    let rows: [[StoredValue]]
    var numbers: [StoredValue] = []
  }

  private static let backends: [any StorageBackend] = [SQLiteBackend(), LMDBBackend()]

  @Test(arguments: found) func `both backends give the right answer`(found: Found) throws {
    for backend in Self.backends {
      let (rows, numbers) = try found.answered.answer(on: backend)
      #expect(rows == found.rows, "\(backend.format)")
      #expect(numbers == found.numbers, "\(backend.format)")
    }
  }

  private static func model(
    _ keys: [String], _ properties: [(String, ValueType)], indexes: [[String]] = []
  ) -> ModelDescription {
    ModelDescription(
      "Item", primaryKey: keys,
      properties: properties.map { name, type in
        PropertyDescription(name, type, isOptional: !keys.contains(name))
      }, indexes: indexes.map { IndexDescription($0) })
  }

  private static func query(
    _ store: GeneratedStore, _ condition: BoundCondition = .always, columns: [Int]? = nil
  ) -> BoundQuery {
    let layout = store.layout
    return BoundQuery(
      layout: layout, condition: condition,
      order: layout.keyColumns.map { BoundSortTerm(column: $0) }, columns: columns)
  }

  private static func text(_ count: Int, _ end: String) -> StoredValue {
    .text(String(repeating: "x", count: count) + end)
  }

  private static var found: [Found] {
    [longBehind, longAlone, cutEntry, infinities, longKey, compositeKey, computedDefault]
  }

  /// The lengths of a record took more bytes than there were properties, for the sake of a property
  /// that nobody asked for.
  private static var longBehind: Found {
    let store = GeneratedStore(
      model: model(["k"], [("k", .integer), ("a", .integer), ("b", .text), ("c", .bool)]),
      rows: [[1, 300, text(252, ""), true]])
    return Found(
      testDescription: "a value before a long one that is not read",
      answered: .init(
        store: store, query: query(store, .compareColumns(0, .less, 1), columns: [1]),
        functions: [.minimum(column: 1)]),
      rows: [[300]], numbers: [300])
  }

  private static var longAlone: Found {
    let store = GeneratedStore(
      model: model(["k"], [("k", .integer), ("a", .date), ("b", .data), ("c", .text)]),
      rows: [[1, day, .data([0xFC]), text(252, "")]])
    return Found(
      testDescription: "a date before a long text that is read as well",
      answered: .init(store: store, query: query(store, columns: [3, 1]), functions: []),
      rows: [[text(252, ""), day]])
  }

  /// Counting by an index read the components of an entry that was cut.
  private static var cutEntry: Found {
    let store = GeneratedStore(
      model: model(["k"], [("k", .integer), ("a", .text)], indexes: [["a"]]),
      rows: [[1, text(520, "")], [2, "a"], [3, "A"]])
    return Found(
      testDescription: "a count by an index with a cut entry",
      answered: .init(
        store: store,
        query: query(store, .compareValue(column: 1, .greaterOrEqual, "a"), columns: []),
        functions: [.count]), rows: [[], []], numbers: [2])
  }

  /// SQLite said 0.
  private static var infinities: Found {
    let store = GeneratedStore(
      model: model(["k"], [("k", .integer), ("a", .any)]),
      rows: [[1, .double(.infinity)], [2, .double(-.infinity)], [3, 5]])
    return Found(
      testDescription: "the sum of infinities of both signs",
      answered: .init(
        store: store, query: query(store, columns: [0]),
        functions: [.sum(column: 1), .average(column: 1)]),
      rows: [[1], [2], [3]], numbers: [.null, .null])
  }

  /// The new key was made in the buffer that the old one was borrowed from.
  private static var longKey: Found {
    var store = GeneratedStore(
      model: model(["k"], [("k", .text), ("a", .integer)]), rows: [[text(300, "k"), .null]])
    // A savepoint makes the transaction forget what it had at hand, and with it large buffers.
    store.steps = [
      .undone([]), .update(RecordKey(text(300, "k")), columns: [1], [.null, 7]),
    ]
    return Found(
      testDescription: "an update of a record with a long key",
      answered: .init(store: store, query: query(store), functions: [.count]),
      rows: [[text(300, "k"), 7]], numbers: [1])
  }

  private static var compositeKey: Found {
    var store = GeneratedStore(
      model: model(["k", "l"], [("k", .text), ("l", .text), ("a", .integer)]),
      rows: [["b", "lll", 1], ["c", "lll", 2]])
    store.steps = [
      .updateMatching(
        BoundQuery(layout: store.layout, condition: .compareValue(column: 2, .equal, 1)),
        columns: [0], ["longer", .null, .null])
    ]
    return Found(
      testDescription: "an update of a part of a key",
      answered: .init(store: store, query: query(store), functions: []),
      rows: [["c", "lll", 2], ["longer", "lll", 1]])
  }

  /// SQLite adds no column whose default is an expression to a table with rows.
  private static var computedDefault: Found {
    var store = GeneratedStore(model: model(["k"], [("k", .integer)]), rows: [[1]])
    store.steps = [StoredValue.integer(.min), "a\0b"].enumerated().map { number, value in
      let type: ValueType = number == 0 ? .integer : .text
      return .change(
        .addProperty(
          model: "Item", PropertyDescription("c\(number)", type, defaultValue: value)))
    }
    return Found(
      testDescription: "an added property with the least integer, and with a U+0000, as default",
      answered: .init(store: store, query: query(store), functions: [.minimum(column: 1)]),
      rows: [[1, .integer(.min), "a\0b"]], numbers: [.integer(.min)])
  }

  private static var day: StoredValue {
    Timestamp(seconds: 951_782_400, nanoseconds: 0).map { .date($0) } ?? .null
  }
}
