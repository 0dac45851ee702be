package import Kura

extension BackendDifferential {
  /// One generated store on both backends.
  final class Pair {
    enum Outcome {
      /// Equal, with so many records.
      case same(Int)
      case different(String)
    }

    private var engines: [any StorageEngine] = []
    private var reads: [any EngineReadTransaction] = []
    /// The number of records.
    private(set) var count = 0

    /// Makes the store; a row that one backend refuses must be refused by the other alike.
    init(_ store: GeneratedStore, _ backends: [any StorageBackend]) throws {
      let layout = store.layout
      var refusals: [[StoreError.Code?]] = []
      for backend in backends {
        let engine = try backend.open(.memory, EngineOptions())
        engines.append(engine)
        let write = try engine.beginWrite(timeout: nil)
        try write.apply(.createModel(store.model))
        refusals.append(
          try store.rows.map { row -> StoreError.Code? in
            do {
              try write.write(RowBuffer(row), into: layout, mode: .insert)
              return nil
            } catch let error as StoreError {
              return error.code
            }
          })
        try write.commit()
        reads.append(try engine.beginRead())
      }
      count = refusals.first?.count { $0 == nil } ?? 0
      guard refusals.first == refusals.last else {
        close()
        throw ConformanceFailure(
          "writing \(store.rows) with the indexes \(store.model.indexes) gives \(refusals)")
      }
    }

    func close() {
      for read in reads { read.end() }
      for engine in engines { try? engine.close() }
      reads = []
    }

    func plans(_ query: BoundQuery) -> [String] {
      reads.flatMap { read in (try? read.explain(query)) ?? [] }
    }

    func compare(_ next: Case) -> Outcome {
      let rows = reads.map { read in Result { try read.rows(next.query) } }
      switch (rows[0], rows[1]) {
      case (.success(let one), .success(let two)):
        let isSame = one.elementsEqual(two) { zip($0, $1).allSatisfy(SampleValues.isIdentical) }
        guard isSame else { return .different("rows \(one) and \(two)") }
      case (.failure(let one as StoreError), .failure(let two as StoreError))
      where one.code == two.code:
        break
      default: return .different("rows \(rows[0]) and \(rows[1])")
      }
      for function in next.functions {
        let request = AggregateRequest(next.query, [function])
        let values = reads.map { read in Result { try read.aggregate(request) } }
        switch (values[0], values[1]) {
        case (.success(let one), .success(let two)):
          let magnitude = magnitude(function, next.query)
          guard one.count == 1, two.count == 1,
            BackendDifferential.isClose(one[0], two[0], magnitude: magnitude)
          else {
            return .different("\(function): \(one) and \(two)")
          }
        case (.failure(let one as StoreError), .failure(let two as StoreError))
        where one.code == two.code:
          break
        default: return .different("\(function): \(values[0]) and \(values[1])")
        }
      }
      return .same((try? rows[0].get().count) ?? 0)
    }

    /// The sum of a column's absolute values, which says how much rounding can be.
    private func magnitude(_ function: AggregateRequest.Function, _ query: BoundQuery) -> Double {
      switch function {
      case .count, .minimum, .maximum: return 0
      case .sum(let column), .average(let column):
        var query = query
        query.columns = [column]
        let rows = (try? reads[0].rows(query)) ?? []
        return BackendDifferential.magnitude(rows.map { $0[0] })
      }
    }
  }

  /// The sum of the absolute values of numbers.
  package static func magnitude(_ values: [StoredValue]) -> Double {
    values.reduce(0) { sum, value in
      switch value {
      case .integer(let value): sum + abs(Double(value))
      case .double(let value): sum + abs(value)
      case .decimal(let value): sum + abs(Double("\(value)") ?? 0)
      default: sum
      }
    }
  }

  /// Whether two results of an aggregate are equal; sums of doubles and of long decimals may differ
  /// by rounding, because backends add in different orders.
  ///
  /// Of equal values of different form, such as both zeros, any may stand for all.
  package static func isClose(_ left: StoredValue, _ right: StoredValue, magnitude: Double) -> Bool
  {
    switch (left, right) {
    case (.double(let one), .double(let two)):
      return one == two || abs(one - two) <= 1e-12 * magnitude || !magnitude.isFinite
    case (.null, .double), (.double, .null): return !magnitude.isFinite
    case (.integer(let integer), .double(let double)),
      (.double(let double), .integer(let integer)):
      return Int64(exactly: double) == integer
    case (.decimal(let one), .decimal(let two)):
      let (a, b) = (Double("\(one)") ?? 0, Double("\(two)") ?? 0)
      return one == two || abs(a - b) <= 1e-12 * magnitude
    default: return left == right
    }
  }
}
