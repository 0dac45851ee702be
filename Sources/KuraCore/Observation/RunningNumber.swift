#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One number over records that come, change and go: what an ``Accumulator`` gives for the records that
/// are there.
struct RunningNumber {
  /// A value in its order among others; equal values of several records stand side by side.
  private struct Ranked: Sendable {
    let order: [UInt8]
    let value: StoredValue
  }

  let function: AggregateRequest.Function
  private let type: ValueType
  private var values = KeyTable<StoredValue>()
  private var integers: Int128 = 0
  private var (integerCount, doubleCount, decimalCount): (Int64, Int64, Int64) = (0, 0, 0)
  private var doubles = ExactSum()
  private var decimals = Decimal(0)
  private var ranking = Rope<Ranked>()
  private let order = OrderedKey()
  private let scratch = RowBuffer(columns: 1)

  init(_ function: AggregateRequest.Function, _ layout: ModelLayout) {
    self.function = function
    type = function.column.map { layout.columns[$0].type } ?? .integer
  }

  /// Takes the values of all records, in any order, of which there were none before.
  mutating func fill(_ all: [(RecordKey, StoredValue)]) {
    values.reserve(all.count)
    for (key, value) in all {
      values[key] = value
      addNumber(value, 1)
    }
    guard isExtreme else { return }
    let ranked = all.compactMap { key, value in
      value.isNull ? nil : Ranked(order: bytes(value, key), value: value)
    }
    ranking = Rope(ranked.sorted { $0.order.precedes($1.order) })
  }

  /// Sets the value of a record; `nil` when it is not among the records.
  mutating func set(_ value: StoredValue?, of key: RecordKey) {
    if let old = values[key] {
      addNumber(old, -1)
      if isExtreme, !old.isNull {
        let order = bytes(old, key)
        let index = ranking.firstIndex { $0.order.precedes(order) }
        if ranking.element(at: index)?.order == order { ranking.remove(at: index) }
      }
    }
    values[key] = value
    guard let value else { return }
    addNumber(value, 1)
    if isExtreme, !value.isNull {
      let order = bytes(value, key)
      ranking.insert(
        Ranked(order: order, value: value), at: ranking.firstIndex { $0.order.precedes(order) })
    }
  }

  private var isExtreme: Bool {
    switch function {
    case .minimum, .maximum: true
    case .count, .sum, .average: false
    }
  }

  private mutating func addNumber(_ value: StoredValue, _ sign: Int64) {
    switch function {
    case .count, .minimum, .maximum: return
    case .sum, .average: break
    }
    switch value {
    case .integer(let number):
      integers &+= Int128(number) * Int128(sign)
      integerCount &+= sign
    case .double(let number):
      if sign > 0 { doubles.add(number) } else { doubles.subtract(number) }
      doubleCount &+= sign
    case .decimal(let number):
      if sign > 0 { decimals += number } else { decimals -= number }
      decimalCount &+= sign
    case .null, .bool, .date, .text, .malformedText, .data, .uuid, .objectID: return
    }
  }

  private func bytes(_ value: StoredValue, _ key: RecordKey) -> [UInt8] {
    order.truncate()
    scratch.reset()
    scratch.setValue(value, at: 0)
    order.appendMixed(scratch[0])
    for part in key.values {
      scratch.reset()
      scratch.setValue(part, at: 0)
      order.appendMixed(scratch[0])
    }
    return Array(order.bytes)
  }

  /// The number.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` when a sum of integers is beyond 64 bits.
  func result() throws(StoreError) -> StoredValue {
    switch function {
    case .count: return .integer(Int64(values.count))
    case .minimum: return ranking.element(at: 0)?.value ?? .null
    case .maximum:
      guard let last = ranking.element(at: ranking.count - 1) else { return .null }
      return last.value
    case .sum:
      if type == .decimal { return .decimal(decimals) }
      if doubleCount > 0 || type == .double { return number(doubles.total(adding: integers)) }
      guard let sum = Int64(exactly: integers) else {
        throw StoreError(
          .notStorable, "the sum of the integers is beyond 64 bits",
          suggestion: "sum a part, or use an average")
      }
      return .integer(sum)
    case .average:
      let count = integerCount + doubleCount + decimalCount
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
