import Kura
import KuraCore
import KuraLMDB

/// An LMDB file: records of Kura's models, or the entries of anybody's databases.
final class ObservedEnvironment: ObservedFile {
  var commit: UInt64 { file.old.meta.transaction }
  private let file: FollowedEnvironment
  private let context: CommandContext
  private let names: [String]
  private let condition: Condition?
  /// What makes transactions on states, for conditions on entries.
  private let engine: ForeignEngine
  /// The models, when the file's records and not its entries are observed.
  private var records: StoredRecords?
  private var prepared: [[UInt8]?: EntryEvents] = [:]

  init(
    _ path: String, _ names: [String], asEntries: Bool, _ condition: Condition?,
    _ context: CommandContext
  ) throws(StoreError) {
    self.context = context
    self.names = names
    self.condition = condition
    engine = try ForeignEngine(
      path, EngineOptions(access: .readOnly, isUntrusted: true, limits: context.limits))
    file = try FollowedEnvironment(
      engine.path, timeout: try context.waitingTime(), limits: context.limits)
    records = asEntries ? nil : try StoredRecords(file.old)
    try check()
  }

  /// Makes sure that there is what was asked for.
  private func check() throws(StoreError) {
    guard let records else {
      let all = try file.old.foreignDatabases()
      let selection = try EntrySelection(
        context.arguments, words: context.arguments.positional.dropFirst(), all, path: context.path)
      for database in selection.databases {
        _ = try filter(try selection.part(database, file.old), file.old)
      }
      return
    }
    for name in names where !records.models.contains(where: { $0.layout.name == name }) {
      let known = records.models.map(\.layout.name)
      throw StoreError(
        .unknownModel, "there is no model \"\(name)\"", path: context.path,
        suggestion: closestMatch(name, in: known).map { "did you mean \"\($0)\"?" }
          ?? "there are: " + known.prefix(8).joined(separator: ", "))
    }
    guard let condition else { return }
    var failure: StoreError?
    var fits = false
    for model in records.models where isWanted(model.layout.name) {
      do throws(StoreError) {
        _ = try condition.bound(to: model.layout)
        fits = true
      } catch {
        failure = error
      }
    }
    if let failure, !fits || !names.isEmpty { throw failure }
  }

  private func isWanted(_ name: String) -> Bool { names.isEmpty || names.contains(name) }

  // MARK: Events

  func giveInitial(to stream: EventStream) throws(StoreError) {
    let state = file.old
    for database in try state.foreignDatabases() {
      guard let tree = database.tree else {
        throw StoreError(
          .damaged, "\"\(database.name)\" cannot be read: \(database.problem ?? "")",
          path: context.path)
      }
      let walk = EntryWalk(state, tree)
      if let records {
        guard let model = records.model(ofDatabase: database.rawName),
          let events = events(nil, model, stream)
        else { continue }
        let row = RowBuffer(columns: model.layout.columns.count)
        while try walk.next() {
          try StoredRecords.read(model, key: walk.key, value: walk.value, into: row)
          try events.give(old: nil, new: .init(layout: model.layout, row: row), isInitial: true)
        }
      } else if let entries = try entries(database.rawName, old: nil, new: database, stream) {
        while try walk.next() { try entries.give(walk.key, nil, walk.value, isInitial: true) }
      }
    }
  }

  func poll() throws(StoreError) -> Bool { try file.poll() }

  func give(to stream: EventStream) throws(StoreError) {
    guard let state = file.new else { return }
    stream.commit = state.meta.transaction
    if records == nil {
      try giveEntries(state, stream)
    } else {
      try giveRecords(state, stream)
    }
    file.advance()
  }

  private func giveRecords(_ state: PageSnapshot, _ stream: EventStream) throws(StoreError) {
    guard let before = records, let after = try StoredRecords(state) else {
      throw StoreError(.replaced, "the file is no store of Kura any more", path: context.path)
    }
    try giveSchema(before.schema, after.schema, stream)
    let difference = file.difference
    for pair in try difference.changedDatabases({ _ throws(StoreError) in }) {
      let old = before.model(ofDatabase: pair.name)
      let new = after.model(ofDatabase: pair.name)
      guard old != nil || new != nil, let events = events(old, new, stream) else { continue }
      let rows = (
        RowBuffer(columns: old?.layout.columns.count ?? 0),
        RowBuffer(columns: new?.layout.columns.count ?? 0)
      )
      var count = 0
      try difference.changes(from: pair.old, to: pair.new) { change throws(StoreError) in
        var sides: (old: RecordEvents.Side?, new: RecordEvents.Side?) = (nil, nil)
        if let value = change.old, let old {
          try StoredRecords.read(old, key: change.key, value: value, into: rows.0)
          sides.old = .init(layout: old.layout, row: rows.0)
        }
        if let value = change.new, let new {
          try StoredRecords.read(new, key: change.key, value: value, into: rows.1)
          sides.new = .init(layout: new.layout, row: rows.1)
        }
        try events.give(old: sides.old, new: sides.new)
        count += 1
        if count & 0x3FF == 0 { try context.checkLimits() }
      }
    }
    records = after
  }

  private func events(
    _ old: StoredRecords.Model?, _ new: StoredRecords.Model?, _ stream: EventStream
  ) -> RecordEvents? {
    guard let name = (new ?? old)?.layout.name, isWanted(name) else { return nil }
    // A condition that names properties of another model.
    return try? RecordEvents(
      name, old: old?.layout, new: new?.layout, condition: condition, stream, context.valueOptions)
  }

  private func giveSchema(_ old: Schema?, _ new: Schema?, _ stream: EventStream) throws(StoreError)
  {
    func json(_ model: ModelDescription?) -> EventStream.Part? {
      guard let model else { return nil }
      return { bytes throws(StoreError) in try bytes.append(Schema.json(model)) }
    }
    let names = Set((old?.models ?? []).map(\.name) + (new?.models ?? []).map(\.name))
    for name in names.sorted() where isWanted(name) {
      let (before, after) = (old?.model(named: name), new?.model(named: name))
      guard before != after else { continue }
      try stream.schema(name, old: json(before), new: json(after))
    }
  }

  // MARK: Entries

  private func giveEntries(_ state: PageSnapshot, _ stream: EventStream) throws(StoreError) {
    let difference = file.difference
    var main: EntryEvents?
    if isWantedEntry(nil) {
      main = try entries(nil, old: file.old.mainDatabase, new: state.mainDatabase, stream)
    }
    let pairs = try difference.changedDatabases { change throws(StoreError) in
      try main?.give(change.key, change.old, change.new)
    }
    for pair in pairs where isWantedEntry(pair.name) {
      let name = DatabaseName.shown(pair.name)
      if pair.old?.record.flags != pair.new?.record.flags {
        func part(_ tree: PageTree?) -> EventStream.Part? {
          guard let tree else { return nil }
          return { bytes throws(StoreError) in
            var object = JSONObject(bytes)
            try object.texts("flags", tree.record.flags.names)
            try object.end()
          }
        }
        try stream.schema(name, old: part(pair.old), new: part(pair.new))
      }
      let old = pair.old.map { ForeignDatabase(observed: $0) }
      let new = pair.new.map { ForeignDatabase(observed: $0) }
      guard let entries = try entries(pair.name, old: old, new: new, stream) else { continue }
      var count = 0
      try difference.changes(from: pair.old, to: pair.new) { change throws(StoreError) in
        try entries.give(change.key, change.old, change.new)
        count += 1
        if count & 0x3FF == 0 { try context.checkLimits() }
      }
    }
  }

  private func isWantedEntry(_ name: [UInt8]?) -> Bool {
    guard !names.isEmpty else { return true }
    return names.contains { text in (try? DatabaseName.parse(text)) == .some(name) }
  }

  private func entries(
    _ name: [UInt8]?, old: ForeignDatabase?, new: ForeignDatabase?, _ stream: EventStream
  ) throws(StoreError) -> EntryEvents? {
    guard isWantedEntry(name), let database = new ?? old else { return nil }
    // Nothing in it depends on the state; a condition is prepared by a look at the whole list of
    // databases.
    if let known = prepared[name], known.part.database.flags == database.flags { return known }
    let state = new == nil ? file.old : file.new ?? file.old
    let selection = try EntrySelection(
      ParsedArguments(
        positional: [], options: context.arguments.options.filter { $0.key != "db" }),
      words: [], [database], path: context.path)
    let part = try selection.part(database, state)
    let events = EntryEvents(part, filter: try filter(part, state), stream, context.valueOptions)
    prepared[name] = events
    return events
  }

  private func filter(_ part: EntrySelection.Part, _ state: PageSnapshot) throws(StoreError)
    -> EntryFilter?
  {
    try EntryFilter(part, engine, state, context)
  }
}

/// Makes events of the entries of one database.
final class EntryEvents {
  fileprivate let part: EntrySelection.Part
  private let filter: EntryFilter?
  private let stream: EventStream
  private let options: ValueOptions

  init(
    _ part: EntrySelection.Part, filter: EntryFilter?, _ stream: EventStream,
    _ options: ValueOptions
  ) {
    self.part = part
    self.filter = filter
    self.stream = stream
    self.options = options
  }

  /// Writes the event of an entry, if it before or now fulfils the condition.
  func give(
    _ key: UnsafeRawBufferPointer, _ old: UnsafeRawBufferPointer?, _ new: UnsafeRawBufferPointer?,
    isInitial: Bool = false
  ) throws(StoreError) {
    if let filter {
      let isWanted =
        old.map { filter.matches(key, $0) } ?? false || new.map { filter.matches(key, $0) } ?? false
      guard isWanted else { return }
    }
    func value(_ bytes: UnsafeRawBufferPointer?) -> EventStream.Part? {
      guard let bytes else { return nil }
      return { writer throws(StoreError) in
        try self.part.values.writeJSON(bytes, to: writer, self.options)
      }
    }
    try stream.record(
      isInitial ? .initial : old == nil ? .insert : new == nil ? .delete : .update,
      part.database.name,
      key: { writer throws(StoreError) in
        try self.part.keys.writeJSON(key, to: writer, self.options)
      }, old: value(old), new: value(new))
  }
}
