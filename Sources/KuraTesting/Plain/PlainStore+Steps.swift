import Kura

extension PlainStore {
  /// Does a step, or several that are undone, and says what became of it.
  mutating func perform(_ step: GeneratedRelations.Step) -> [RelationDifferential.StepResult] {
    do throws(Refusal) {
      switch step {
      case .insert(let model, let values):
        try write(model, values, .insert)
        return [.done(1)]
      case .upsert(let model, let values):
        try write(model, values, .upsert)
        return [.done(1)]
      case .update(let model, let key, let values):
        return [.done(try update(model, key, values) ? 1 : 0)]
      case .updateMatching(let query, let values): return [.done(try update(query, values))]
      case .delete(let model, let key): return [.done(try delete(model, key) ? 1 : 0)]
      case .deleteMatching(let query): return [.done(try delete(query))]
      case .undone(let steps):
        var copy = self
        return steps.flatMap { copy.perform($0) }
      case .commit, .reopen: return []
      }
    } catch {
      return [.failed(error.code)]
    }
  }
}
