package import Kura

/// The same models, steps and questions on two formats and over plain arrays: what the steps do,
/// records, rows, numbers and errors must be equal.
package struct RelationDifferential {
  /// What became of a step.
  package enum StepResult: Hashable, Sendable {
    /// It was done to so many records.
    case done(Int)
    /// It was refused.
    case failed(StoreError.Code)
  }

  /// One comparison, which can be repeated alone.
  package struct Case: Sendable {
    package var relations: GeneratedRelations
    package var question: RelationQuestion?

    /// Makes a case of parts.
    package init(_ relations: GeneratedRelations, _ question: RelationQuestion? = nil) {
      self.relations = relations
      self.question = question
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

    package var description: String {
      let relations = smallest.relations
      let models = relations.schema.models.map { model in
        let properties = model.properties.map { property in
          let reference =
            property.reference.map { " -> \($0.target) \($0.onDelete.rawValue)" } ?? ""
          return "\(property.name) \(property.type)\(property.isOptional ? "?" : "")\(reference)"
        }
        let indexes = model.indexes.map { ($0.isUnique ? "unique " : "") + "\($0.properties)" }
        let list = model.list.map { " list \($0.property)\($0.isOwning ? ", owning" : "")" } ?? ""
        return "  \(model.name)\(list): \(properties.joined(separator: ", ")); \(indexes)"
      }
      return """
        seed \(seed): \(message)
        \(models.joined(separator: "\n"))
        steps\(relations.isQueriedBeforeCommit ? ", queried before the commit" : "")
        \(relations.steps.map { "  \($0)" }.joined(separator: "\n"))
        \(smallest.question.map { "\($0)" } ?? "no question")
        """.replacing("KuraCore.", with: "").replacing("KuraTesting.", with: "")
    }
  }

  /// How many cases were compared, and what differs.
  package struct Report: Sendable {
    /// The number of questions.
    package var count = 0
    /// The number of questions whose rows were some but not all: the others tell little.
    package var telling = 0
    /// The number of questions that were asked as text as well.
    package var texts = 0
    /// The number of questions that were asked of types as well.
    package var typed = 0
    /// The number of questions of stores that could not do a step because of a limit of the engine.
    package var limited = 0
    /// What differs, made small.
    package var differences: [Difference] = []
  }

  /// Makes of a query one of types; `nil` when it has no such form.
  ///
  /// It gives the values of the records in the order of the model's properties.
  package typealias TypedQuestion =
    @Sendable (Query) throws -> ((ReadTransaction) throws -> [[StoredValue]])?

  let formats: [StoreFormat]
  let schema: Schema?
  let typed: TypedQuestion?

  /// Compares two formats.
  ///
  /// - Parameters:
  ///   - schema: The models; `nil` makes random ones.
  ///   - typed: Asks of types what is asked by names.
  package init(
    _ formats: [StoreFormat], schema: Schema? = nil, typed: TypedQuestion? = nil
  ) {
    self.formats = formats
    self.schema = schema
    self.typed = typed
  }

  /// Asks questions of generated stores; of what differs, the first cases are made small.
  ///
  /// - Parameters:
  ///   - seeds: One store each.
  ///   - questions: How many questions for each store.
  ///   - enough: After how many differences to stop.
  package func run(seeds: Range<UInt64>, questions: Int, enough: Int = 3) throws -> Report {
    var report = Report()
    for seed in seeds where report.differences.count < enough {
      var random = RepeatableGenerator(seed: seed)
      let relations = try GeneratedRelations(&random, schema: schema)
      let asked = try (0..<questions).map { _ in try question(relations, &random) }
      do {
        let bench = Bench(relations, self)
        try bench.run(asked)
        report.count += asked.count
        report.telling += bench.telling
        report.texts += bench.texts
        report.typed += bench.typed
      } catch is Bench.Limit {
        report.count += asked.count
        report.limited += asked.count
      } catch let failure as Bench.Failure {
        let first = Case(relations, failure.question.map { asked[$0] })
        report.differences.append(smallest(first, failure.message, seed))
      }
    }
    return report
  }

  /// A random question; of several, one that can be asked of types when that is wanted.
  private func question(_ relations: GeneratedRelations, _ random: inout RepeatableGenerator) throws
    -> RelationQuestion
  {
    guard let typed else { return relations.question(&random) }
    var question = relations.question(&random)
    for _ in 0..<12 where try !question.isOfRecords || typed(question.query) == nil {
      question = relations.question(&random)
    }
    return question
  }

  /// What differs in a case; `nil` when nothing does.
  package func difference(_ next: Case) throws -> String? {
    do {
      try Bench(next.relations, self).run(next.question.map { [$0] } ?? [])
      return nil
    } catch let failure as Bench.Failure {
      return failure.message
    }
  }

  private func smallest(_ first: Case, _ message: String, _ seed: UInt64) -> Difference {
    var (best, message) = (first, message)
    var (isSmaller, attempts) = (true, 0)
    while isSmaller {
      isSmaller = false
      for candidate in best.simpler where attempts < 4000 {
        attempts += 1
        // Another error, such as that of a store that cannot be made, is another matter.
        guard let found = try? difference(candidate) else { continue }
        (best, message, isSmaller) = (candidate, found, true)
        break
      }
    }
    return Difference(smallest: best, message: message, seed: seed)
  }
}
