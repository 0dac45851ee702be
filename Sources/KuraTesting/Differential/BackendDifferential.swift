package import Kura

/// The same stores and queries on two backends: rows, their order, numbers and errors must be equal.
package struct BackendDifferential {
  /// One comparison, which can be repeated alone.
  package struct Case: Sendable {
    package var store: GeneratedStore
    package var query: BoundQuery
    package var functions: [AggregateRequest.Function]

    /// Makes a case of parts.
    package init(
      store: GeneratedStore, query: BoundQuery, functions: [AggregateRequest.Function]
    ) {
      self.store = store
      self.query = query
      self.functions = functions
    }

    /// The rows and numbers that one backend gives.
    package func answer(on backend: any StorageBackend) throws -> (
      rows: [[StoredValue]], numbers: [StoredValue]
    ) {
      let pair = try Pair(store, [backend])
      defer { pair.close() }
      return try pair.answer(self)
    }
  }

  /// What differs.
  package struct Difference: Error, CustomStringConvertible {
    /// The smallest case found that still differs.
    package var smallest: Case
    /// What is different.
    package var message: String
    /// The seed of the store in which it was found.
    package var seed: UInt64
    /// What each backend would do.
    package var plans: [String]

    package var description: String {
      let (store, query) = (smallest.store, smallest.query)
      let indexes = store.model.indexes.map { ($0.isUnique ? "unique " : "") + "\($0.properties)" }
      let text = """
        seed \(seed): \(message)
        keys \(store.model.primaryKey), indexes \(indexes)
        columns \(store.model.properties.map { "\($0.name) \($0.type)\($0.isOptional ? "?" : "")" })
        rows
        \(store.rows.map { "  \($0)" }.joined(separator: "\n"))
        steps\(store.isQueriedBeforeCommit ? ", queried before the commit" : "")
        \(store.steps.map { "  \($0)" }.joined(separator: "\n"))
        \(query.condition)
        order \(query.order.map { "\($0.column)\($0.isDescending ? " DESC" : "")" }), \
        distinct \(query.distinct ?? []), limit \(query.limit ?? -1), offset \(query.offset), \
        columns \(query.columns.map { "\($0)" } ?? "all"), functions \(smallest.functions)
        \(plans.joined(separator: "\n"))
        """
      return Difference.abbreviated(text)
    }

    /// A text whose long runs of one character are cut.
    private static func abbreviated(_ text: String) -> String {
      var result = ""
      var (last, count) = (nil as Character?, 0)
      for character in text {
        count = character == last ? count + 1 : 1
        last = character
        if count <= 20 { result.append(character) } else if count == 21 { result += "…" }
      }
      for name in ["KuraCore.", "KuraTesting.", "120, 120, 120, 120, 120, 120, 120, 120, "] {
        result = result.replacing(name, with: "")
      }
      return result
    }
  }

  /// How many cases were compared, and what differs.
  package struct Report: Sendable {
    /// The number of queries.
    package var count = 0
    /// The number of queries that found some but not all records: the others tell little.
    package var telling = 0
    /// What differs, made small.
    package var differences: [Difference] = []
  }

  private let backends: [any StorageBackend]

  /// Compares two backends.
  package init(_ one: any StorageBackend, _ other: any StorageBackend) { backends = [one, other] }

  /// Runs queries over generated stores; of what differs, the first cases are made small.
  ///
  /// - Parameters:
  ///   - seeds: One store each.
  ///   - queries: How many queries for each store.
  ///   - enough: After how many differences to stop: several show whether they have one cause.
  package func run(seeds: Range<UInt64>, queries: Int, enough: Int = 3) throws -> Report {
    var report = Report()
    for seed in seeds where report.differences.count < enough {
      var random = RepeatableGenerator(seed: seed)
      let store = GeneratedStore(&random)
      let pair: Pair
      do {
        pair = try Pair(store, backends)
      } catch let failure as ConformanceFailure {
        let nothing = BoundQuery.all(store.layout)
        let first = Case(store: store, query: nothing, functions: [])
        report.differences.append(smallest(first, failure.description, seed))
        continue
      }
      defer { pair.close() }
      queries: for _ in 0..<queries {
        let next = Case(
          store: store, query: store.query(&random), functions: store.functions(&random))
        report.count += 1
        switch pair.compare(next) {
        case .same(let found):
          if found > 0, found < pair.count { report.telling += 1 }
        case .different(let message):
          report.differences.append(smallest(next, message, seed))
          // What else differs in this store has probably the same cause.
          break queries
        }
      }
    }
    return report
  }

  /// What differs in a case; `nil` when nothing does.
  package func difference(_ next: Case) throws -> String? {
    let pair: Pair
    do {
      pair = try Pair(next.store, backends)
    } catch let failure as ConformanceFailure {
      return failure.description
    }
    defer { pair.close() }
    if case .different(let message) = pair.compare(next) { return message }
    return nil
  }

  /// Leaves out what is not needed for a difference, until nothing more can be left out.
  private func smallest(_ first: Case, _ message: String, _ seed: UInt64) -> Difference {
    var best = first
    var message = message
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.simpler {
        // Another error, such as that of a backend that fails, is another matter.
        guard let found = try? difference(candidate) else { continue }
        (best, message, isSmaller) = (candidate, found, true)
        break
      }
    }
    let plans = (try? Pair(best.store, backends))?.plans(best.query) ?? []
    return Difference(smallest: best, message: message, seed: seed, plans: plans)
  }
}

extension BoundQuery {
  /// All records in the order of the key.
  static func all(_ layout: ModelLayout) -> BoundQuery {
    BoundQuery(layout: layout, order: layout.keyColumns.map { BoundSortTerm(column: $0) })
  }
}
