import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RelationDifferential {
  /// The steps and questions on a store of one format.
  final class StoreRun {
    private let relations: GeneratedRelations
    private let configuration: StoreConfiguration
    private let folder: String?
    private let typed: TypedQuestion?
    private var store: Store
    private(set) var results: [[StepResult]] = []
    private(set) var answers: [Bench.Answers] = []
    /// The records of each model.
    private(set) var contents: [[[StoredValue]]] = []

    init(
      _ relations: GeneratedRelations, _ format: StoreFormat, _ typed: TypedQuestion?
    ) throws {
      self.relations = relations
      self.typed = typed
      let isReopened = relations.steps.contains { step in
        if case .reopen = step { true } else { false }
      }
      var location = StoreLocation.memory
      if isReopened {
        let path = FileManager.default.temporaryDirectory
          .appendingPathComponent("kura-relations-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        folder = path
        location = .file(path + "/store")
      } else {
        folder = nil
      }
      configuration = StoreConfiguration(
        at: location, schema: relations.schema, durability: .relaxed, format: format)
      store = try Store.open(configuration)
    }

    /// Closes the store and removes what it left.
    func remove() {
      try? store.close()
      if let folder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// Does the steps, in transactions between which they ask for one to end, and asks.
    func perform(_ questions: [RelationQuestion]) throws {
      var part: [GeneratedRelations.Step] = []
      func end(_ questions: [RelationQuestion] = [], asksBefore: Bool = false) throws {
        let steps = part
        part = []
        let (found, answers) = try store.write { transaction in
          (
            steps.map { StoreRun.perform($0, transaction) },
            asksBefore ? try answer(questions, transaction) : []
          )
        }
        results += found
        self.answers += answers
      }
      for step in relations.steps {
        switch step {
        case .commit:
          try end()
          results.append([])
        case .reopen:
          try end()
          results.append([])
          try store.close()
          store = try Store.open(configuration)
        default: part.append(step)
        }
      }
      try end(questions, asksBefore: relations.isQueriedBeforeCommit)
      try store.read { transaction in
        if !relations.isQueriedBeforeCommit { answers = try answer(questions, transaction) }
        contents = try relations.schema.models.map { model in
          try transaction.records(Query(model.name)).map { Array($0.values) }
        }
      }
    }

    private static func perform(_ step: GeneratedRelations.Step, _ write: WriteTransaction)
      -> [StepResult]
    {
      do {
        switch step {
        case .insert(let model, let values):
          _ = try write.insert(model, values)
          return [.done(1)]
        case .upsert(let model, let values):
          _ = try write.upsert(model, values)
          return [.done(1)]
        case .update(let model, let key, let values):
          return [.done(try write.update(model, key: key, values) ? 1 : 0)]
        case .updateMatching(let query, let values):
          return [.done(try write.update(query, set: values))]
        case .delete(let model, let key):
          return [.done(try write.delete(model, key: key) ? 1 : 0)]
        case .deleteMatching(let query): return [.done(try write.delete(query))]
        case .undone(let steps):
          var results: [StepResult] = []
          do {
            try write.savepoint {
              results = steps.flatMap { perform($0, write) }
              throw Undoing()
            }
          } catch is Undoing {}
          return results
        case .commit, .reopen: return []
        }
      } catch let error as StoreError {
        return [.failed(error.code)]
      } catch {
        return [.failed(.internalError)]
      }
    }

    private struct Undoing: Error {}

    // MARK: Questions

    private func answer(_ questions: [RelationQuestion], _ read: ReadTransaction) throws
      -> [Bench.Answers]
    {
      try questions.map { question in
        var answers = Bench.Answers(plain: try answer(question, read))
        if let (text, arguments) = question.query.text {
          answers.text = try attempt {
            var question = question
            question.query = try Query(parsing: text, arguments: QueryArguments(arguments))
            return try rows(question, read)
          }
        }
        if question.isOfRecords, let rows = try typed?(question.query) {
          answers.typed = try attempt { try rows(read) }
        }
        return answers
      }
    }

    private func answer(_ question: RelationQuestion, _ read: ReadTransaction) throws
      -> Bench.Answer
    {
      try attempt { try rows(question, read) }
    }

    private func rows(_ question: RelationQuestion, _ read: ReadTransaction) throws
      -> [[StoredValue]]
    {
      guard question.aggregates.isEmpty else {
        return [try read.aggregate(question.query, question.aggregates)]
      }
      guard question.query.columns == nil, question.query.groups == nil else {
        return try read.rows(question.query)
      }
      return try read.records(question.query).map { Array($0.values) }
    }

    private func attempt(_ body: () throws -> [[StoredValue]]) throws -> Bench.Answer {
      do {
        return .rows(try body())
      } catch let error as StoreError {
        return .failed(error.code)
      }
    }
  }
}
