/// Makes one change of each record out of several, in the order of their first ones.
struct ChangeMerger {
  private var merged: [ChangeSet.RecordChange?] = []
  private var places: [RecordKey: Int] = [:]

  /// Adds a later change.
  mutating func add(_ change: ChangeSet.RecordChange) {
    guard let place = places[change.key], let earlier = merged[place] else {
      places[change.key] = merged.count
      merged.append(change)
      return
    }
    merged[place] = ChangeMerger.merge(earlier, change)
    if merged[place] == nil { places[change.key] = nil }
  }

  /// The merged changes.
  var changes: [ChangeSet.RecordChange] { merged.compactMap { $0 } }

  private static func merge(_ earlier: ChangeSet.RecordChange, _ later: ChangeSet.RecordChange)
    -> ChangeSet.RecordChange?
  {
    var result = later
    switch (earlier.kind, later.kind) {
    case (.insertion, .deletion): return nil
    case (.insertion, _):
      result.kind = .insertion
      result.properties = .all
    case (.deletion, .insertion), (.deletion, .modification):
      // Deleted and made again: which values differ is not known.
      result.kind = .modification
      result.properties = .all
    case (.modification, .modification): result.properties.formUnion(earlier.properties)
    // A record that was there cannot be made; whoever says so means that it is there now.
    case (.modification, .insertion):
      result.kind = .modification
      result.properties = .all
    case (.modification, .deletion), (.deletion, .deletion): break
    }
    return result
  }
}

extension ChangeSet {
  /// The changes of this set and of a later one together.
  ///
  /// - Parameter limit: How many changes of one model are kept one by one.
  mutating func merge(_ later: ChangeSet, limit: Int) {
    isComplete = isComplete && later.isComplete
    for (model, changes) in later.models {
      switch (models[model], changes) {
      case (nil, _): models[model] = changes
      case (.everything?, _), (_, .everything): models[model] = .everything
      case (.records(let earlier)?, .records(let more)):
        var merger = ChangeMerger()
        for change in earlier { merger.add(change) }
        for change in more { merger.add(change) }
        let merged = merger.changes
        models[model] =
          merged.isEmpty ? nil : merged.count > limit ? .everything : .records(merged)
      }
    }
  }
}
