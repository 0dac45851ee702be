import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RelationDifferential {
  /// One generated store in each format, and as arrays.
  final class Bench {
    /// A difference, and in which question it was.
    struct Failure: Error {
      let message: String
      var question: Int?
    }

    /// What a store says to a question.
    enum Answer {
      case rows([[StoredValue]])
      case failed(StoreError.Code)
    }

    /// All ways in which one question is asked.
    struct Answers {
      var plain: Answer
      var text: Answer?
      var typed: Answer?
    }

    private let relations: GeneratedRelations
    private let differential: RelationDifferential
    private var plain: PlainStore
    private(set) var telling = 0
    private(set) var texts = 0
    private(set) var typed = 0

    init(_ relations: GeneratedRelations, _ differential: RelationDifferential) {
      self.relations = relations
      self.differential = differential
      plain = PlainStore(relations.schema)
    }

    /// Does all steps and asks all questions.
    func run(_ questions: [RelationQuestion]) throws {
      var results: [[[StepResult]]] = []
      var answers: [[Answers]] = []
      var contents: [[[[StoredValue]]]] = []
      for format in differential.formats {
        let run = try StoreRun(relations, format, differential.typed)
        defer { run.remove() }
        try run.perform(questions)
        results.append(run.results)
        answers.append(run.answers)
        contents.append(run.contents)
      }
      for (number, step) in relations.steps.enumerated() {
        try settle(step, results.map { $0[number] }, &plain)
      }
      for (place, model) in relations.schema.models.enumerated() {
        let rows = plain.records(Query(model.name))
        for (format, content) in zip(differential.formats, contents)
        where !isIdentical(content[place], rows) {
          throw Failure(
            message: "\(format) has of \(model.name) \(content[place]) instead of \(rows)")
        }
      }
      for (number, question) in questions.enumerated() {
        do {
          try compare(question, answers.map { $0[number] })
        } catch let failure as Failure {
          throw Failure(message: failure.message, question: number)
        }
      }
    }

    /// A store cannot do what is asked of it, and says so.
    struct Limit: Error {}

    /// Does a step to the arrays, and compares what became of it.
    private func settle(
      _ step: GeneratedRelations.Step, _ found: [[StepResult]], _ plain: inout PlainStore
    ) throws {
      if case .undone(let steps) = step, found.allSatisfy({ $0.count == steps.count }) {
        var copy = plain
        for (number, inner) in steps.enumerated() {
          try settle(inner, found.map { [$0[number]] }, &copy)
        }
        return
      }
      // SQLite's parser has room for a few references and lists inside each other; a store that
      // refuses a step has other records from then on.
      if found.contains([.failed(.limitReached)]) { throw Limit() }
      let expected = plain.perform(step)
      guard found.allSatisfy({ isSame($0, expected, step) }) else {
        throw Failure(message: "\(step) gives \(found) instead of \(expected)")
      }
    }

    private func isIdentical(_ left: [[StoredValue]], _ right: [[StoredValue]]) -> Bool {
      left.elementsEqual(right) { $0.elementsEqual($1, by: SampleValues.isIdentical) }
    }

    private func isSame(
      _ found: [StepResult], _ expected: [StepResult], _ step: GeneratedRelations.Step
    ) -> Bool {
      if found == expected { return true }
      switch (step, found.first, expected.first) {
      case (.updateMatching, .failed(let one)?, .failed(let other)?):
        // A change of many records reports any of the rules that it breaks (docs/errors.md).
        return [one, other].allSatisfy { [.notUnique, .brokenReference].contains($0) }
      case (.deleteMatching(let query), .done(let one)?, .done(let other)?):
        // Records that a rule removed before their turn do not count.
        return one > 0 && one < other && takesItsOwn(query.model)
      default: return false
      }
    }

    /// Whether deleting a record of a model may delete others of it.
    private func takesItsOwn(_ name: String) -> Bool {
      var (reached, pending) = (Set<String>(), [name])
      while let next = pending.popLast() {
        for model in relations.schema.models {
          for property in model.properties
          where property.reference?.target == next && property.reference?.onDelete == .cascade {
            if reached.insert(model.name).inserted { pending.append(model.name) }
          }
          if model.list?.isOwning == true,
            model.reference(ListDescription.owner)?.target == next,
            let target = model.reference(ListDescription.target)?.target,
            reached.insert(target).inserted
          {
            pending.append(target)
          }
        }
      }
      return reached.contains(name)
    }

    // MARK: Questions

    private func compare(_ question: RelationQuestion, _ answers: [Answers]) throws {
      let expected = expected(question)
      for (format, answer) in zip(differential.formats, answers) {
        let ways = [
          ("", answer.plain), (" as text", answer.text), (" of types", answer.typed),
        ]
        for (way, found) in ways {
          guard let found else { continue }
          guard isSame(found, expected, question) else {
            throw Failure(message: "\(format)\(way) gives \(found) instead of \(expected)")
          }
        }
      }
      if answers[0].text != nil { texts += 1 }
      if answers[0].typed != nil { typed += 1 }
      if case .rows(let rows) = expected {
        let all = plain.tables[question.query.model]?.count ?? 0
        if !rows.isEmpty, rows.count < all || !question.aggregates.isEmpty { telling += 1 }
      }
    }

    private func expected(_ question: RelationQuestion) -> Answer {
      guard question.aggregates.isEmpty else {
        let rows = plain.records(question.query)
        guard let model = relations.schema.model(named: question.query.model),
          let evaluator = plain.evaluators[model.name]
        else { return .failed(.unknownModel) }
        var numbers: [StoredValue] = []
        for aggregate in question.aggregates {
          guard let function = aggregate.function(model),
            let number = evaluator.aggregate(function, over: rows)
          else { return .failed(.notStorable) }
          numbers.append(number)
        }
        return .rows([numbers])
      }
      return plain.rows(question.query).map { .rows($0) } ?? .failed(.notStorable)
    }

    private func isSame(_ found: Answer, _ expected: Answer, _ question: RelationQuestion) -> Bool {
      switch (found, expected) {
      case (.failed(let one), .failed(let other)): return one == other
      // SQLite's parser has room for a few references and lists inside each other.
      case (.failed(.limitReached), _): return true
      case (.rows(let one), .rows(let other)):
        let magnitudes = magnitudes(question)
        return one.elementsEqual(other) { left, right in
          left.count == right.count
            && left.indices.allSatisfy { column in
              if let magnitude = magnitudes[column] {
                BackendDifferential.isClose(left[column], right[column], magnitude: magnitude)
              } else {
                SampleValues.isIdentical(left[column], right[column])
              }
            }
        }
      default: return false
      }
    }

    /// For each column that is a number over records, the sum of the absolute values.
    private func magnitudes(_ question: RelationQuestion) -> [Int: Double] {
      guard let model = relations.schema.model(named: question.query.model) else { return [:] }
      func magnitude(_ name: String) -> Double {
        guard let column = model.place(of: name) else { return 0 }
        return BackendDifferential.magnitude((plain.tables[model.name] ?? []).map { $0[column] })
      }
      var magnitudes: [Int: Double] = [:]
      for (place, aggregate) in question.aggregates.enumerated() {
        switch aggregate {
        case .count: break
        case .minimum, .maximum: magnitudes[place] = 0
        case .sum(let name), .average(let name): magnitudes[place] = magnitude(name)
        }
      }
      for (place, column) in (question.query.columns ?? []).enumerated() {
        switch column {
        case .property, .count: break
        case .minimum, .maximum: magnitudes[place] = 0
        case .sum(let path), .average(let path): magnitudes[place] = magnitude(path.description)
        }
      }
      return magnitudes
    }
  }
}

extension GeneratedRelations.Step {
  /// Whether many records are changed, which reports any of the rules that it breaks.
  fileprivate var isUpdate: Bool { if case .updateMatching = self { true } else { false } }
}

extension ReadTransaction.Aggregate {
  fileprivate func function(_ model: ModelDescription) -> AggregateRequest.Function? {
    switch self {
    case .count: .count
    case .minimum(let name): model.place(of: name).map { .minimum(column: $0) }
    case .maximum(let name): model.place(of: name).map { .maximum(column: $0) }
    case .sum(let name): model.place(of: name).map { .sum(column: $0) }
    case .average(let name): model.place(of: name).map { .average(column: $0) }
    }
  }
}
