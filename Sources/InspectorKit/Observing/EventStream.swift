import KuraCore

/// Writes events: one object or one line each.
final class EventStream {
  /// What happened to a record.
  enum Kind: String {
    case initial, insert, update, delete

    /// What begins the line for people.
    fileprivate var mark: String {
      switch self {
      case .initial: "="
      case .insert: "+"
      case .update: "~"
      case .delete: "-"
      }
    }
  }

  /// Writes a part of an event as JSON.
  typealias Part = (ByteWriter) throws(StoreError) -> Void

  /// The code of the error that ends the command when all events that were asked for are written.
  static let finished = StoreError.Code(rawValue: "observe.finished")

  /// The number of the state that the events are of.
  var commit: UInt64 = 0
  /// Whether updates show only the columns that are different.
  let showsChangedOnly: Bool
  private let bytes: ByteWriter
  private let isText: Bool
  private let isTerminal: Bool
  private var rest: Int?

  /// Makes a stream.
  ///
  /// - Parameter most: The number of events after which it is finished; the initial ones do not count.
  init(_ bytes: ByteWriter, isText: Bool, isTerminal: Bool, changedOnly: Bool, most: Int?) {
    self.bytes = bytes
    self.isText = isText
    self.isTerminal = isTerminal
    showsChangedOnly = changedOnly
    rest = most
  }

  /// Writes the event of a record.
  ///
  /// - Throws: ``finished`` when it was the last one.
  func record(_ kind: Kind, _ model: String, key: Part, old: Part?, new: Part?) throws(StoreError) {
    if isText {
      try line { bytes throws(StoreError) in
        try bytes.append("\(kind.mark) \(TerminalText.escaped(model)) ")
        try key(bytes)
        try bytes.append(": ")
        try old?(bytes)
        if old != nil, new != nil { try bytes.append(" → ") }
        try new?(bytes)
        try bytes.append("  (commit \(commit))")
      }
    } else {
      try bytes.append("{\"event\":\"\(kind.rawValue)\",\"model\":")
      try bytes.appendJSON(model)
      try bytes.append(",\"key\":")
      try key(bytes)
      try part("old", old)
      try part("new", new)
      try end()
    }
    if kind != .initial { try count() }
  }

  /// Writes that a declaration is another one, new or gone.
  func schema(_ model: String, old: Part?, new: Part?) throws(StoreError) {
    if isText {
      try line { bytes throws(StoreError) in
        try bytes.append("! schema \(TerminalText.escaped(model)): ")
        try old?(bytes)
        try bytes.append(old == nil ? "new " : new == nil ? " is gone" : " → ")
        try new?(bytes)
        try bytes.append("  (commit \(commit))")
      }
    } else {
      try bytes.append("{\"event\":\"schema\",\"model\":")
      try bytes.appendJSON(model)
      try part("old", old)
      try part("new", new)
      try end()
    }
    try count()
  }

  /// Writes that the file cannot be observed any more.
  func lost(_ error: StoreError) throws(StoreError) {
    if isText {
      try line { bytes throws(StoreError) in
        try bytes.append("! end: \(error.message)  (\(error.code.rawValue))")
      }
    } else {
      var object = JSONObject(bytes)
      try object.text("event", "end")
      try object.text("reason", error.code.rawValue)
      try object.text("message", error.message)
      try object.end()
      try bytes.append("\n")
    }
    try flush()
  }

  /// Hands on what was written.
  func flush() throws(StoreError) { try bytes.flush() }

  private func part(_ name: String, _ part: Part?) throws(StoreError) {
    guard let part else { return }
    try bytes.append(",\"\(name)\":")
    try part(bytes)
  }

  private func end() throws(StoreError) {
    try bytes.append(",\"commit\":")
    try bytes.append(Int64(clamping: commit))
    try bytes.append("}\n")
  }

  private func line(_ body: Part) throws(StoreError) {
    guard isTerminal else {
      try body(bytes)
      return try bytes.append("\n")
    }
    var text: [UInt8] = []
    let writer = ByteWriter { part throws(StoreError) in text += part }
    try body(writer)
    try writer.flush()
    try bytes.append(TerminalText.escaped(String(decoding: text, as: UTF8.self)) + "\n")
  }

  private func count() throws(StoreError) {
    guard let left = rest else { return }
    rest = left - 1
    guard left <= 1 else { return }
    try flush()
    throw StoreError(EventStream.finished, "all events were written")
  }
}
