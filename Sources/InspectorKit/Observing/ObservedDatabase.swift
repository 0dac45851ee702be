import Kura
import KuraCore
import KuraSQLite

/// An SQLite file, of Kura or of anybody.
final class ObservedDatabase: ObservedFile {
  private(set) var commit: UInt64 = 0
  private let file: FollowedFile
  private let context: CommandContext
  private let names: [String]
  private let condition: Condition?
  private var hasFittingTable = false

  init(_ path: String, _ names: [String], _ condition: Condition?, _ context: CommandContext)
    throws(StoreError)
  {
    self.context = context
    self.names = names
    self.condition = condition
    file = try FollowedFile(path, timeout: try context.waitingTime(), limits: context.limits)
    try check()
  }

  /// Makes sure that there is what was asked for.
  private func check() throws(StoreError) {
    let comparison = try StateComparison(file)
    defer { comparison.end() }
    let lookup = ModelLookup(schema: try comparison.schema(), path: context.path)
    for name in names {
      let model = try lookup.readableModel(name)
      if let reason = ObservedDatabase.refusal(model) {
        throw StoreError(
          .unsupportedQuery, "\"\(model.name)\" cannot be observed: \(reason)", path: context.path,
          suggestion: "observe the tables that hold its records")
      }
    }
    guard let condition else { return }
    var failure: StoreError?
    var fits = false
    for table in comparison.tables where isWanted(table) {
      guard let layout = table.new?.layout else { continue }
      do throws(StoreError) {
        _ = try condition.bound(to: layout)
        fits = true
      } catch {
        failure = error
        guard names.isEmpty else { break }
      }
    }
    if let failure, !fits || !names.isEmpty { throw failure }
  }

  /// Why a table or view is not observed; `nil` when it is.
  private static func refusal(_ model: StoredModel) -> String? {
    switch model.kind {
    case .view: "it is a view"
    case .virtual: "it is a virtual table"
    case .table, .shadow, .system, .database:
      model.isWithoutRowID || model.rowIDName != nil
        ? nil : "its columns hide the numbers of its rows"
    }
  }

  private func isWanted(_ table: StateComparison.Table) -> Bool {
    guard let model = table.new?.model ?? table.old?.model,
      model.problem == nil, ObservedDatabase.refusal(model) == nil
    else { return false }
    guard !names.isEmpty else { return model.kind == .table }
    return names.contains { $0.lowercased() == table.name.lowercased() }
  }

  private func events(_ table: StateComparison.Table, _ stream: EventStream) throws(StoreError)
    -> RecordEvents?
  {
    do throws(StoreError) {
      return try RecordEvents(
        table.name, old: table.old?.layout, new: table.new?.layout, condition: condition, stream,
        context.valueOptions)
    } catch {
      // The condition names columns of another table.
      return nil
    }
  }

  func giveInitial(to stream: EventStream) throws(StoreError) {
    let comparison = try StateComparison(file)
    defer { comparison.end() }
    for table in comparison.tables where isWanted(table) {
      guard let events = try events(table, stream), let layout = table.new?.layout else { continue }
      try comparison.present(in: table) { row throws(StoreError) in
        try events.give(old: nil, new: .init(layout: layout, row: row), isInitial: true)
      }
    }
  }

  func poll() throws(StoreError) -> Bool { try file.poll() }

  func give(to stream: EventStream) throws(StoreError) {
    commit += 1
    stream.commit = commit
    try compare(stream)
    try file.advance()
  }

  private func compare(_ stream: EventStream) throws(StoreError) {
    let comparison = try StateComparison(file)
    defer { comparison.end() }
    for change in comparison.schemaChanges where isShown(change) {
      func part(_ sql: String?) -> EventStream.Part? {
        guard let sql else { return nil }
        return { bytes throws(StoreError) in try bytes.appendJSON(sql) }
      }
      try stream.schema(change.name, old: part(change.old), new: part(change.new))
    }
    var count = 0
    for table in comparison.tables where isWanted(table) && comparison.mayHaveChanged(table) {
      guard let events = try events(table, stream) else { continue }
      try comparison.changes(of: table) { change throws(StoreError) in
        var (old, new): (RecordEvents.Side?, RecordEvents.Side?) = (nil, nil)
        if let row = change.old, let layout = table.old?.layout {
          old = RecordEvents.Side(layout: layout, row: row)
        }
        if let row = change.new, let layout = table.new?.layout {
          new = RecordEvents.Side(layout: layout, row: row)
        }
        try events.give(old: old, new: new)
        count += 1
        if count & 0x3FF == 0 { try context.checkLimits() }
      }
    }
  }

  private func isShown(_ change: StateComparison.SchemaChange) -> Bool {
    names.isEmpty || names.contains { $0.lowercased() == change.name.lowercased() }
  }
}
