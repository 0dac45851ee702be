#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One number over rows that are added one by one.
package struct Accumulator {
  private let function: AggregateRequest.Function
  private let type: ValueType
  /// The column of the layout; `nil` for a count.
  private let column: Int?
  /// The column of the rows to come.
  private var place: Int?

  private var count: Int64 = 0
  // A sum of 64-bit integers cannot leave 128 bits: there are not that many records.
  private var integers: Int128 = 0
  private var hasDoubles = false
  private var doubles = CompensatedSum()
  private var decimals = Decimal(0)
  private let best = RowBuffer(columns: 1)

  /// - Parameter place: Where the column stands in the rows to come.
  package init(_ function: AggregateRequest.Function, _ layout: ModelLayout, place: Int? = nil) {
    self.function = function
    column = function.column
    self.place = place
    type = column.map { layout.columns[$0].type } ?? .integer
  }

  /// The numbers of functions over the rows of a query, in one walk.
  ///
  /// - Parameter cursor: Begins to walk over the query of the columns needed.
  /// - Throws: ``StoreError/Code/notStorable`` when a sum of integers is beyond 64 bits.
  package static func results(
    of functions: [AggregateRequest.Function], over query: BoundQuery,
    cursor: (BoundQuery) throws(StoreError) -> any RecordCursor
  ) throws(StoreError) -> [StoredValue] {
    var accumulators = functions.map { Accumulator($0, query.rowLayout) }
    let columns = Set(accumulators.compactMap(\.column)).sorted()
    for index in accumulators.indices {
      accumulators[index].place = accumulators[index].column.flatMap { columns.firstIndex(of: $0) }
    }
    var query = query
    query.columns = columns
    let cursor = try cursor(query)
    defer { cursor.close() }
    let row = RowBuffer(columns: cursor.columnNames.count)
    while try cursor.next(into: row) {
      for index in accumulators.indices { accumulators[index].add(row) }
    }
    var values: [StoredValue] = []
    for accumulator in accumulators { values.append(try accumulator.result()) }
    return values
  }

  /// The numbers of sums and averages of integers that somebody else has added.
  ///
  /// - Parameters:
  ///   - sum: The sum of the values that are not null.
  ///   - count: Their number.
  /// - Throws: ``StoreError/Code/notStorable`` when a sum is beyond 64 bits.
  package static func results(
    of functions: [AggregateRequest.Function], _ layout: ModelLayout, sum: Int128, count: Int64
  ) throws(StoreError) -> [StoredValue] {
    var values: [StoredValue] = []
    for function in functions {
      var accumulator = Accumulator(function, layout)
      accumulator.integers = sum
      accumulator.count = count
      values.append(try accumulator.result())
    }
    return values
  }

  /// Forgets what was added.
  package mutating func reset() {
    (count, integers, hasDoubles, doubles, decimals) = (0, 0, false, CompensatedSum(), Decimal(0))
    best.reset()
  }

  /// Adds a row.
  package mutating func add(_ row: RowBuffer) {
    guard let place else {
      count &+= 1
      return
    }
    let slot = row[place]
    guard slot.kind != .null else { return }
    switch function {
    case .count: count &+= 1
    case .minimum:
      if count == 0 || slot.order(to: best[0]) < 0 { keep(slot) }
      count &+= 1
    case .maximum:
      if count == 0 || slot.order(to: best[0]) > 0 { keep(slot) }
      count &+= 1
    case .sum, .average: addNumber(slot, row, place)
    }
  }

  /// Values of a column of any type that are no numbers are left out.
  private mutating func addNumber(_ slot: ColumnSlot, _ row: RowBuffer, _ place: Int) {
    switch slot.kind {
    case .integer: integers &+= Int128(slot.integer)
    case .double:
      hasDoubles = true
      doubles.add(slot.double)
    case .decimal:
      guard case .decimal(let value) = row.value(at: place) else { return }
      decimals += value
    case .null, .bool, .date, .text, .malformedText, .data, .uuid, .objectID: return
    }
    count &+= 1
  }

  private func keep(_ slot: ColumnSlot) {
    best.reset()
    best.copy(slot, to: 0)
  }

  /// The number.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when a sum of integers is beyond 64 bits.
  package func result() throws(StoreError) -> StoredValue {
    switch function {
    case .count: return .integer(count)
    case .minimum, .maximum: return count == 0 ? .null : best.value(at: 0)
    case .sum:
      if type == .decimal { return .decimal(decimals) }
      if hasDoubles || type == .double { return number(doubles.total(adding: integers)) }
      guard let sum = Int64(exactly: integers) else {
        throw StoreError(
          .notStorable, "the sum of the integers is beyond 64 bits",
          suggestion: "sum a part, or use an average")
      }
      return .integer(sum)
    case .average:
      guard count > 0 else { return .null }
      if type == .decimal {
        return .double(Double((decimals / Decimal(count)).description) ?? .nan)
      }
      return number(doubles.total(adding: integers) / Double(count))
    }
  }

  /// Infinities of both signs have no sum.
  private func number(_ value: Double) -> StoredValue { value.isNaN ? .null : .double(value) }
}

/// A sum of doubles that does not lose the small ones (Neumaier's variant of Kahan's algorithm).
struct CompensatedSum {
  private var sum = 0.0
  private var lost = 0.0

  /// Adds a number.
  mutating func add(_ value: Double) {
    let next = sum + value
    if abs(sum) >= abs(value) {
      lost += (sum - next) + value
    } else {
      lost += (value - next) + sum
    }
    sum = next
  }

  /// The sum together with integers.
  func total(adding integers: Int128) -> Double {
    // Beyond all numbers nothing is lost that could be found again.
    guard sum.isFinite, lost.isFinite else { return sum + Double(integers) }
    return sum + (lost + Double(integers))
  }
}
