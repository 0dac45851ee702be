import Foundation
import Kura
import Testing

/// Queries that are wrong, deep or long: an error that shows the place, soon, on every backend.
@Suite struct HostileQueryTests {
  /// A second of work, of which builds without optimization need many times as much.
  private static let second: Duration = {
    #if DEBUG
      .seconds(20)
    #else
      .seconds(1)
    #endif
  }()

  /// What reading a query throws, and for how long that keeps the thread busy: how long it takes
  /// depends on what else the machine does.
  private func failure(_ sample: ShopSample, _ text: String) -> (StoreError?, Duration) {
    var failure: StoreError?
    let begin = HostileQueryTests.busyTime()
    do {
      _ = try sample.store.read { try $0.rows(try Query(parsing: text, model: "Order")) }
    } catch {
      failure = error as? StoreError
    }
    return (failure, HostileQueryTests.busyTime() - begin)
  }

  private static func busyTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test(
    "a mistake in what goes through references and lists is an error with its place",
    arguments: [
      ("items.prize.@avg > 3", "schema.unknownProperty", "did you mean price"),
      ("item.price.@avg > 3", "schema.unknownProperty", "did you mean items"),
      ("items.@avg > 3", "query.invalid", "items.property.@avg"),
      ("items.price.@avrg > 3", "query.invalid", "did you mean @avg"),
      ("items.price.@count > 3", "query.invalid", "@count counts"),
      ("items.name.@avg > 3", "query.invalid", "needs numbers"),
      ("items.price.@avg > 'x'", "query.invalid", "cannot be compared"),
      ("items.price.@avg.weight > 3", "query.invalid", "no reference"),
      ("items.price > 3", "query.invalid", "ANY, ALL or NONE"),
      ("label.@avg > 3", "query.invalid", "does not go through a list"),
      ("maker.name.@max > 'a'", "query.invalid", "does not go through a list"),
      ("3 CONTAINS items.name.@min", "query.invalid", "must be a property"),
      ("items.weight.@sum CONTAINS 'a'", "query.invalid", "works on text"),
      ("items.weight.@sum ==[c] 'a'", "query.invalid", "works on text"),
      ("items.weight.@sum + items.cost.@sum + items.price.@sum > 3", "query.invalid", "computed"),
      ("items.weight.@sum BETWEEN {'a', 'b'}", "query.invalid", "cannot be compared"),
      (
        "SUBQUERY(items, $x, $x.prise > 3).@count > 0", "schema.unknownProperty",
        "did you mean price"
      ),
      ("SUBQUERY(items, $x, price > 3).@count > 0", "query.unsupported", "$x.price"),
      ("SUBQUERY(items, $x, $y.price > 3).@count > 0", "query.invalid", "nothing is named $y"),
      (
        "SUBQUERY(itms, $x, $x.price > 3).@count > 0", "schema.unknownProperty",
        "did you mean items"
      ),
      ("SUBQUERY(label, $x, $x.price > 3).@count > 0", "schema.unknownProperty", "no list"),
      ("SUBQUERY(items, x, x.price > 3).@count > 0", "query.invalid", "a name such as $x"),
      ("SUBQUERY(items, $x, $x.price > 3) > 0", "query.invalid", "@count > 0"),
      ("SUBQUERY(items, $x, $x.price > 3).@coun > 0", "query.invalid", "did you mean @count"),
      ("SUBQUERY(items, $x).@count > 0", "query.invalid", "after $x"),
      ("SUBQUERY(items, $x, $x > 0).@count > 0", "query.invalid", "a property of the record"),
      ("SUBQUERY(items.price, $x, $x.a > 0).@count > 0", "query.invalid", "list alone"),
      ("3 < SUBQUERY(items, $x, $x.price > 'x').@count", "query.invalid", "cannot be compared"),
      ("$x.price > 3", "query.invalid", "nothing is named $x"),
      ("SORT(makr.name)", "schema.unknownProperty", "did you mean maker"),
      ("SORT(maker.nme)", "schema.unknownProperty", "did you mean name"),
      ("SORT(label.name)", "query.invalid", "no reference"),
      ("SORT(items.price)", "query.invalid", "is a list"),
      ("DISTINCT(maker.town.nam)", "schema.unknownProperty", "did you mean name"),
      ("SELECT(maker.nam)", "schema.unknownProperty", "did you mean name"),
      ("GROUP(maker.nam)", "schema.unknownProperty", "did you mean name"),
      ("maker.name == labl", "schema.unknownProperty", "did you mean label"),
    ])
  func mistakes(text: String, code: String, part: String) throws {
    let (error, time) = failure(try ShopSample(.sqlite), text)
    #expect(error?.code.rawValue == code, "\(text): \(String(describing: error))")
    let shown = error.map { "\($0)" } ?? ""
    #expect(shown.contains(part), "\(text): \(shown)")
    #expect(shown.contains("at column"), "\(text): \(shown)")
    #expect(time < Self.second, "\(text)")
  }

  @Test("10,000 levels of anything are an error within a second", arguments: ModelTests.formats)
  func deepNesting(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    let depth = 10_000
    func repeated(_ text: String) -> String { String(repeating: text, count: depth) }
    let texts = [
      repeated("SUBQUERY(items, $x, ") + "$x.price > 3" + repeated(").@count > 0"),
      (0..<depth).map { "SUBQUERY(\($0 == 0 ? "" : "$x\($0 - 1).")items, $x\($0), " }.joined(),
      repeated("(") + "items.price.@avg" + repeated(")") + " > 3",
      repeated("-") + "items.price.@avg > 3",
      repeated("(items.price.@avg > 3 AND "),
      repeated("maker.") + "name == 'x'",
      "SORT(" + repeated("maker.") + "name)",
      repeated("items.") + "@count > 1",
      repeated("items.price.@avg + ") + "1 > 3",
      "GROUP(label) HAVING(" + repeated("(@count > 1 AND ") + "@count > 2" + repeated(")") + ")",
      "GROUP(label) HAVING(" + repeated("NOT (") + "@count > 2" + repeated(")") + ")",
    ]
    for text in texts {
      let (error, time) = failure(sample, text)
      #expect(error != nil, "\(text.prefix(60))")
      #expect(time < Self.second, "\(text.prefix(60)): \(time)")
    }
  }

  @Test("typed conditions nested 1,000 deep are an error", arguments: ModelTests.formats)
  func deepConditions(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    let list = PropertyPath(["maker", "products"])
    var condition = Condition.comparison(.property("weight"), .equal, .value(.integer(1)))
    for _ in 0..<1_000 {
      condition = .comparison(
        .count(list: list, condition), .greater, .count(list: list, .always))
    }
    let error = #expect(throws: StoreError.self) {
      try sample.store.read { try $0.records(Query("Order", where: condition)) }
    }
    #expect(error?.code == .invalidQuery)
  }

  @Test("1 MB of text is answered or refused within a second", arguments: ModelTests.formats)
  func longText(format: StoreFormat) throws {
    let sample = try ShopSample(format)
    func long(_ part: (Int) -> String, _ separator: String) -> String {
      var text = ""
      var number = 0
      while text.utf8.count < (1 << 20) - 200 {
        if number > 0 { text += separator }
        text += part(number)
        number += 1
      }
      return text
    }
    let texts = [
      long({ "SUBQUERY(items, $x, $x.weight > \($0)).@sum.weight == 3" }, " OR "),
      long({ "items.weight.@sum + \($0) == items.weight.@max" }, " AND "),
      "SORT(" + long({ _ in "maker.nam" }, ", ") + ")",
      "DISTINCT(" + long({ _ in "maker.name" }, ", ") + ") SORT(maker.nam)",
      "GROUP(label) HAVING(" + long({ "@count > \($0)" }, " OR ") + " OR @count > 'x')",
      "items." + long({ _ in "price" }, ".") + ".@avg > 3",
    ]
    for text in texts {
      let (error, time) = failure(sample, text)
      #expect(error != nil || text.hasPrefix("items.weight"), "\(text.prefix(60))")
      #expect(time < Self.second, "\(text.prefix(60)): \(time)")
    }
    let (error, time) = failure(sample, String(repeating: "items.@count > 1 OR ", count: 60_000))
    #expect(error?.code == .invalidQuery && time < Self.second)
  }
}
