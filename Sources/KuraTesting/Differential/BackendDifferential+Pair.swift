import Kura

extension BackendDifferential {
  /// One generated store on both backends, or on one of them.
  final class Pair {
    enum Outcome {
      /// Equal, with so many records.
      case same(Int)
      case different(String)
    }

    /// What became of a step.
    enum StepResult: Equatable {
      case done(Int64?)
      case failed(StoreError.Code)
    }

    private var engines: [any StorageEngine] = []
    private var reads: [any EngineReadTransaction] = []
    /// The same records as an array, over which queries are evaluated a third time.
    private var plain: PlainEvaluator?
    /// The number of records.
    var count: Int { plain?.rows.count ?? 0 }

    /// Makes the store; what one backend refuses must be refused by the other alike.
    ///
    /// - Throws: ``ConformanceFailure`` when the backends do not do the same.
    init(_ store: GeneratedStore, _ backends: [any StorageBackend]) throws {
      for backend in backends { engines.append(try backend.open(.memory, EngineOptions())) }
      do {
        try fill(store)
      } catch {
        close()
        throw error
      }
    }

    private func fill(_ store: GeneratedStore) throws {
      var writes = try engines.map { try $0.beginWrite(timeout: nil) }
      defer { for write in writes { write.end() } }
      var model = store.model
      var layout = ModelLayout(model)
      for write in writes { try write.apply(.createModel(model)) }
      let inserts = store.rows.map { GeneratedStore.Step.write($0, .insert) }
      for step in inserts + store.steps {
        if case .commit = step {
          for write in writes { try write.commit() }
          writes = try engines.map { try $0.beginWrite(timeout: nil) }
          continue
        }
        let results = try writes.map { try Pair.perform(step, layout, $0) }
        guard results.allSatisfy({ Pair.isSame([results[0], $0], after: step) }) else {
          throw ConformanceFailure("\(step) gives \(results)")
        }
        guard case .change(let change) = step else { continue }
        model = model.applying(change)
        guard step.changesLayout else { continue }
        if case .failed(let code)? = results[0].last {
          throw ConformanceFailure("the generated change \(change) gives \(code.rawValue)")
        }
        layout = ModelLayout(model)
      }
      if store.isQueriedBeforeCommit {
        reads = writes
        writes = []
      } else {
        for write in writes { try write.commit() }
        writes = []
        for engine in engines {
          let report = try engine.check(.deep, progress: nil)
          try expect(report.isClean, "\(engine.format) is not sound: \(report.findings)")
        }
        for engine in engines { reads.append(try engine.beginRead()) }
      }
      let all = BoundQuery.all(ModelLayout(model))
      let rows = try reads.map { try $0.rows(all) }
      try expect(
        rows.allSatisfy { Pair.isIdentical($0, rows[0]) }, "the records are \(rows)")
      plain = PlainEvaluator(layout: ModelLayout(model), rows: rows[0])
    }

    private static func isIdentical(_ left: [[StoredValue]], _ right: [[StoredValue]]) -> Bool {
      left.elementsEqual(right) { $0.elementsEqual($1, by: SampleValues.isIdentical) }
    }

    /// Does a step, or several that are undone, and says what became of it.
    private static func perform(
      _ step: GeneratedStore.Step, _ layout: ModelLayout, _ write: any EngineWriteTransaction
    ) throws -> [StepResult] {
      do {
        switch step {
        case .write(let row, let mode):
          return [.done(try write.write(RowBuffer(row), into: layout, mode: mode))]
        case .update(let key, let columns, let row):
          let isFound = try write.update(key, in: layout, columns: columns, from: RowBuffer(row))
          return [.done(isFound ? 1 : 0)]
        case .updateMatching(let query, let columns, let row):
          let count = try write.update(matching: query, columns: columns, from: RowBuffer(row))
          return [.done(Int64(count))]
        case .delete(let key): return [.done(try write.delete(key, in: layout) ? 1 : 0)]
        case .deleteMatching(let query): return [.done(Int64(try write.delete(matching: query)))]
        case .change(let change):
          try write.apply(change)
          return [.done(nil)]
        case .commit: return []
        case .undone(let steps):
          try write.beginSavepoint()
          let results = try steps.flatMap { try perform($0, layout, write) }
          try write.rollBackToSavepoint()
          return results
        }
      } catch let error as StoreError {
        return [.failed(error.code)]
      }
    }

    private static func isSame(_ results: [[StepResult]], after step: GeneratedStore.Step) -> Bool {
      let steps = if case .undone(let steps) = step { steps } else { [step] }
      guard results[0].count == results[1].count, results[0].count == steps.count else {
        return results[0] == results[1]
      }
      return zip(zip(results[0], results[1]), steps).allSatisfy { pair, step in
        // A change of many records reports any of the rules that it breaks (docs/errors.md).
        let reasons: [StepResult] = [
          .failed(.duplicateKey), .failed(.notUnique), .failed(.brokenReference),
        ]
        if case .updateMatching = step, reasons.contains(pair.0), reasons.contains(pair.1) {
          return true
        }
        return pair.0 == pair.1
      }
    }

    func close() {
      for read in reads { read.end() }
      for engine in engines { try? engine.close() }
      reads = []
    }

    /// The rows and numbers of a case on the first backend.
    func answer(_ next: Case) throws -> (rows: [[StoredValue]], numbers: [StoredValue]) {
      let request = AggregateRequest(next.query, next.functions)
      return try (reads[0].rows(next.query), reads[0].aggregate(request))
    }

    func plans(_ query: BoundQuery) -> [String] {
      reads.flatMap { read in (try? read.explain(query)) ?? [] }
    }

    func compare(_ next: Case) -> Outcome {
      let rows = reads.map { read in Result { try read.rows(next.query) } }
      let plainRows = plain?.rows(next.query) ?? []
      switch (rows[0], rows[1]) {
      case (.success(let one), .success(let two)):
        guard Pair.isIdentical(one, two) else { return .different("rows \(one) and \(two)") }
        let columns = next.query.columns ?? Array(next.query.layout.columns.indices)
        let expected = plainRows.map { row in columns.map { row[$0] } }
        guard Pair.isIdentical(one, expected) else {
          return .different("rows \(one) on both, and of an array \(expected)")
        }
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
          guard let expected = plain?.aggregate(function, over: plainRows),
            BackendDifferential.isClose(one[0], expected, magnitude: magnitude)
          else {
            return .different("\(function): \(one) on both, which is not that of an array")
          }
        case (.failure(let one as StoreError), .failure(let two as StoreError))
        where one.code == two.code && plain?.aggregate(function, over: plainRows) == nil:
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
}
