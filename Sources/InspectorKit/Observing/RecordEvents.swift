import Kura
import KuraCore

/// Makes events of the records of one model: chooses them by a condition and writes their columns.
final class RecordEvents {
  /// A record in one state; its row has the columns of the layout, and may have the row's number
  /// behind them.
  struct Side {
    let layout: ModelLayout
    let row: RowBuffer
  }

  private let model: String
  private let stream: EventStream
  private let options: ValueOptions
  private let matchers: (old: ConditionMatcher?, new: ConditionMatcher?)
  private let names: (old: [String], new: [String])

  /// Prepares the events of a model.
  ///
  /// - Throws: What binding the condition throws, unless it fits one of the layouts.
  init(
    _ model: String, old: ModelLayout?, new: ModelLayout?, condition: Condition?,
    _ stream: EventStream, _ options: ValueOptions
  ) throws(StoreError) {
    self.model = model
    self.stream = stream
    self.options = options
    func matcher(_ layout: ModelLayout?) throws(StoreError) -> ConditionMatcher? {
      guard let layout, let condition else { return nil }
      return ConditionMatcher(try condition.bound(to: layout))
    }
    do throws(StoreError) {
      let current = try matcher(new)
      // A column that is new or gone decides for the state that has it.
      matchers = (
        (try? matcher(old)) ?? (condition == nil || new == nil ? nil : ConditionMatcher(.never)),
        current
      )
    } catch {
      guard old != nil, new != nil, let before = try? matcher(old) else { throw error }
      matchers = (before, ConditionMatcher(.never))
    }
    names = (
      RecordWriters.unique(old?.columns.map(\.name) ?? []),
      RecordWriters.unique(new?.columns.map(\.name) ?? [])
    )
  }

  /// Writes the event of a change, if the record before or the one now fulfils the condition.
  func give(old: Side?, new: Side?, isInitial: Bool = false) throws(StoreError) {
    let isWanted =
      old.map { matchers.old?.matches($0.row) ?? true } ?? false
      || new.map { matchers.new?.matches($0.row) ?? true } ?? false
    guard isWanted, let shown = new ?? old else { return }
    let kind: EventStream.Kind =
      isInitial ? .initial : old == nil ? .insert : new == nil ? .delete : .update
    var part: (old: EventStream.Part?, new: EventStream.Part?)
    let changedOnly = kind == .update && stream.showsChangedOnly
    if let old {
      part.old = { bytes throws(StoreError) in
        try self.write(old, self.names.old, but: changedOnly ? new : nil, bytes)
      }
    }
    if let new {
      part.new = { bytes throws(StoreError) in
        try self.write(new, self.names.new, but: changedOnly ? old : nil, bytes)
      }
    }
    try stream.record(
      kind, model, key: { bytes throws(StoreError) in try self.writeKey(shown, bytes) },
      old: part.old, new: part.new)
  }

  private func writeKey(_ side: Side, _ bytes: ByteWriter) throws(StoreError) {
    let keys = side.layout.keyColumns
    // Without a key the row's number, behind the columns.
    guard !keys.isEmpty else {
      return try JSONValues.write(side.row[side.layout.columns.count], bytes, options)
    }
    if keys.count > 1 { try bytes.append("[") }
    for (position, column) in keys.enumerated() {
      if position > 0 { try bytes.append(",") }
      try JSONValues.write(side.row[column], bytes, options)
    }
    if keys.count > 1 { try bytes.append("]") }
  }

  /// Writes the columns of a record, of one that is compared only those that are different.
  private func write(_ side: Side, _ names: [String], but other: Side?, _ bytes: ByteWriter)
    throws(StoreError)
  {
    try bytes.append("{")
    var isFirst = true
    for (index, column) in side.layout.columns.enumerated() {
      if let other, let same = other.layout.index(of: column.name),
        RecordEvents.isEqual(side.row[index], other.row[same])
      {
        continue
      }
      if !isFirst { try bytes.append(",") }
      isFirst = false
      try bytes.appendJSON(names[index])
      try bytes.append(":")
      try JSONValues.write(side.row[index], bytes, options)
    }
    try bytes.append("}")
  }

  /// Whether two slots hold the same value of the same type, bit by bit.
  static func isEqual(_ left: ColumnSlot, _ right: ColumnSlot) -> Bool {
    guard left.kind == right.kind else { return false }
    guard left.kind.isBorrowed else {
      return left.word0 == right.word0 && left.word1 == right.word1
    }
    return left.bytes.elementsEqual(right.bytes)
  }
}
