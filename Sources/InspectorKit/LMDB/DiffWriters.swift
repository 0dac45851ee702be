import Kura
import KuraCore
import KuraLMDB

/// Writes what differs.
protocol DiffWriter: AnyObject {
  /// Writes whether a database is new, gone or of other flags.
  ///
  /// - Returns: Whether it is.
  func database(_ pair: DiffPair) throws(StoreError) -> Bool
  /// Called before the changes of a database.
  func begin(_ pair: DiffPair) throws(StoreError)
  /// Writes one change.
  func change(_ change: SnapshotDifference.Change) throws(StoreError)
  /// Called after the changes of a database.
  func endDatabase() throws(StoreError)
}

extension DiffPair {
  /// What is different about the database as such, in a word.
  fileprivate enum State { case added, removed, changed, same }

  fileprivate var state: State {
    guard let old else { return .added }
    guard let new else { return .removed }
    return old.flags == new.flags ? .same : .changed
  }
}

extension DatabaseFlags {
  fileprivate var text: String { isEmpty ? "none" : names.joined(separator: ", ") }
}

/// Lines that begin with `+`, `-` or `~`.
final class DiffTextWriter: DiffWriter {
  private let context: CommandContext
  private let row = RowBuffer(columns: 1)
  private var name = ""
  private var keys = EntryCodec(isNative: false)
  private var values = EntryCodec(isNative: false)

  init(_ context: CommandContext) { self.context = context }

  private func line(_ text: String) throws(StoreError) {
    let shown = context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text
    try context.bytes.append(shown + "\n")
  }

  func database(_ pair: DiffPair) throws(StoreError) -> Bool {
    switch pair.state {
    case .same: return false
    case .added: try line("+ database \(pair.name)  (\(pair.flags.text))")
    case .removed: try line("- database \(pair.name)  (\(pair.flags.text))")
    case .changed:
      try line(
        "~ database \(pair.name)  (\(pair.old?.flags.text ?? "") → \(pair.new?.flags.text ?? ""))")
    }
    return true
  }

  func begin(_ pair: DiffPair) throws(StoreError) {
    name = pair.name
    keys = EntryCodec(isNative: pair.flags.contains(.integerKey))
    values = EntryCodec(isNative: pair.flags.contains(.integerDup))
  }

  func change(_ change: SnapshotDifference.Change) throws(StoreError) {
    let mark =
      switch change.kind {
      case .insert: "+"
      case .delete: "-"
      case .update: "~"
      }
    try context.bytes.append("\(mark) \(TerminalText.escaped(name)): ")
    try keys.writeJSON(change.key, to: context.bytes, context.valueOptions)
    try context.bytes.append(" = ")
    if let old = change.old { try values.writeJSON(old, to: context.bytes, context.valueOptions) }
    if let new = change.new {
      if change.old != nil { try context.bytes.append(" → ") }
      try values.writeJSON(new, to: context.bytes, context.valueOptions)
    }
    try context.bytes.append("\n")
  }

  func endDatabase() throws(StoreError) {}
}

/// One object a line: `{"event":"insert","db":…,"key":…,"new":…}`.
final class DiffJSONWriter: DiffWriter {
  private let context: CommandContext
  private var name = ""
  private var keys = EntryCodec(isNative: false)
  private var values = EntryCodec(isNative: false)

  init(_ context: CommandContext) { self.context = context }

  func database(_ pair: DiffPair) throws(StoreError) -> Bool {
    guard pair.state != .same else { return false }
    var object = JSONObject(context.bytes)
    try object.text("event", "database")
    try object.text("db", pair.name)
    if let old = pair.old { try object.texts("oldFlags", old.flags.names) }
    if let new = pair.new { try object.texts("newFlags", new.flags.names) }
    try object.end()
    try context.bytes.append("\n")
    return true
  }

  func begin(_ pair: DiffPair) throws(StoreError) {
    name = pair.name
    keys = EntryCodec(isNative: pair.flags.contains(.integerKey))
    values = EntryCodec(isNative: pair.flags.contains(.integerDup))
  }

  func change(_ change: SnapshotDifference.Change) throws(StoreError) {
    let bytes = context.bytes
    try bytes.append("{\"event\":\"")
    try bytes.append(change.kind.rawValue)
    try bytes.append("\",\"db\":")
    try bytes.appendJSON(name)
    try bytes.append(",\"key\":")
    try keys.writeJSON(change.key, to: bytes, context.valueOptions)
    if let old = change.old {
      try bytes.append(",\"old\":")
      try values.writeJSON(old, to: bytes, context.valueOptions)
    }
    if let new = change.new {
      try bytes.append(",\"new\":")
      try values.writeJSON(new, to: bytes, context.valueOptions)
    }
    try bytes.append("}\n")
  }

  func endDatabase() throws(StoreError) {}
}

/// The number of changes of each database that has any.
final class DiffSummaryWriter: DiffWriter {
  private let context: CommandContext
  private let asJSON: Bool
  private var pair: DiffPair?
  private var counts: [SnapshotDifference.Change.Kind: Int64] = [:]

  init(_ context: CommandContext, asJSON: Bool) {
    self.context = context
    self.asJSON = asJSON
  }

  func database(_ pair: DiffPair) throws(StoreError) -> Bool {
    guard pair.state != .same else { return false }
    guard !asJSON else { return try DiffJSONWriter(context).database(pair) }
    let text =
      switch pair.state {
      case .added: "database \(pair.name) only in the second file"
      case .removed: "database \(pair.name) only in the first file"
      case .changed, .same: "database \(pair.name) has other flags"
      }
    try context.bytes.append(
      (context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text) + "\n")
    return true
  }

  func begin(_ pair: DiffPair) throws(StoreError) {
    self.pair = pair
    counts = [:]
  }

  func change(_ change: SnapshotDifference.Change) throws(StoreError) {
    counts[change.kind, default: 0] += 1
  }

  func endDatabase() throws(StoreError) {
    guard let pair, !counts.isEmpty else { return }
    let (added, removed, changed) =
      (counts[.insert] ?? 0, counts[.delete] ?? 0, counts[.update] ?? 0)
    if asJSON {
      var object = JSONObject(context.bytes)
      try object.text("db", pair.name)
      try object.integer("added", added)
      try object.integer("removed", removed)
      try object.integer("changed", changed)
      try object.end()
      return try context.bytes.append("\n")
    }
    let text = "\(pair.name): \(added) added, \(removed) removed, \(changed) changed"
    try context.bytes.append(
      (context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text) + "\n")
  }
}
