import Foundation
import Kura
import KuraTesting
import Testing

@testable import KuraCore

/// Whatever happens to a store, old rows with the difference are the new rows, and these are what the
/// query gives.
@Suite struct ObservationHistoryTests {
  /// How many commits each history has, and how many histories there are for each format; more with
  /// `KURA_OBSERVATION_HISTORIES`.
  private static let commitCount = 40
  private static var seeds: Range<UInt64> {
    let count = ProcessInfo.processInfo.environment["KURA_OBSERVATION_HISTORIES"].flatMap {
      UInt64($0)
    }
    let first = ProcessInfo.processInfo.environment["KURA_OBSERVATION_SEED"].flatMap { UInt64($0) }
    return (first ?? 0)..<((first ?? 0) + (count ?? 8))
  }

  private static let queries: [String] = [
    "Item", "Item WHERE group = 2", "Item WHERE group >= 1 SORT(group DESC, weight)",
    "Item WHERE name BEGINSWITH[c] 'b' SORT(name)", "Item WHERE weight < 1 SORT(any, price DESC)",
    "Item SORT(weight) LIMIT(5)", "Item WHERE group != 1 SORT(price) LIMIT(4) OFFSET(2)",
    "Item DISTINCT(group)", "Item WHERE part.size > 2 SORT(part.size)", "Part SORT(size DESC)",
    "Stock WHERE count > 3 SORT(count)", "Stock SORT(item DESC)", "Item SORT(id DESC)",
    "Item WHERE group IN {1, NULL} SORT(group)",
  ]

  private static let numbers: [ReadTransaction.Aggregate] = [
    .count, .sum("group"), .average("group"), .minimum("name"), .maximum("name"),
    .minimum("weight"), .maximum("any"), .sum("price"), .average("price"), .sum("weight"),
    .average("any"), .minimum("any"),
  ]

  @Test(arguments: [StoreFormat.sqlite, .lmdb])
  func `old rows with the difference are the new rows`(format: StoreFormat) throws {
    for seed in Self.seeds { try Self.run(format, seed) }
  }

  private static func run(_ format: StoreFormat, _ seed: UInt64) throws {
    var bench = try ObservedStore(format, seed: seed)
    for _ in 0..<3 { try bench.commit() }
    let store = bench.store
    let queries = try queries.map { try Query(parsing: $0) }
    let watched = try queries.map { query in
      (query, try store.changes(of: query).begin(), try store.changes(of: query).begin())
    }
    var rows = try watched.map { query, all, _ in
      let change = try #require(try all.look())
      guard case .initial(let rows) = change else {
        throw StoreError(.internalError, "the first change is no initial one")
      }
      return Array(rows)
    }
    // A second one that is asked at other times and not told of some commits.
    for (_, _, some) in watched { _ = try some.look() }
    let conditions = ["Item", "Item WHERE group = 2", "Item LIMIT(6)", "Item WHERE part.size > 2"]
    let counted = try conditions.map { text in
      let query = try Query(parsing: text)
      return (query, try #require(try store.values(of: query, numbers).begin() as? NumberObserver))
    }
    var told: [[StoredValue]?] = counted.map { _ in nil }
    for step in 0..<commitCount {
      let isSkipped = bench.random.next() % 5 == 0
      try bench.commit(skipping: isSkipped ? Set(watched.map { $0.2.id }) : [])
      if bench.random.next() % 4 == 0 { continue }
      for (index, (query, all, some)) in watched.enumerated() {
        let context: Comment = "\(format) seed \(seed) step \(step): \(queries[index])"
        let expected = try store.read { try $0.records(query) }
        if let change = try all.look() {
          guard case .update(let new, let difference) = change else {
            Issue.record("a second initial change: \(context)")
            continue
          }
          difference.apply(to: &rows[index]) { new.element(at: $0) }
          #expect(!difference.isEmpty && Array(new) == rows[index], context)
        }
        #expect(rows[index] == expected, context)
        if bench.random.next() % 3 == 0, let change = try some.look() {
          #expect(Array(change.rows) == expected, context)
        }
      }
      for (index, (query, observer)) in counted.enumerated() {
        let context: Comment = "\(format) seed \(seed) step \(step): \(conditions[index])"
        let expected = try store.read { try $0.aggregate(query, numbers) }
        let values = try observer.look()
        #expect(values == nil || told[index] != values, context)
        told[index] = values ?? told[index]
        let found = told[index] ?? []
        for (number, (left, right)) in zip(numbers, zip(found, expected)) {
          #expect(isSame(left, right), "\(context) \(number)")
        }
        #expect(found.count == expected.count, context)
      }
    }
  }

  private typealias NumberObserver = Observer<NumberState, [StoredValue]>

  /// Sums of doubles are rounded once here and after each step there.
  private static func isSame(_ left: StoredValue, _ right: StoredValue) -> Bool {
    guard case .double(let left) = left, case .double(let right) = right else {
      return left == right
    }
    return left == right || abs(left - right) <= 1e-12 * max(1, abs(left), abs(right))
  }
}
