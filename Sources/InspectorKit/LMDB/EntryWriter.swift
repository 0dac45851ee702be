import Kura
import KuraCore
import KuraLMDB

/// Writes the entries of databases in one format, one after the other, in constant memory.
protocol EntryWriter: AnyObject {
  /// Called before the entries of each database.
  func begin(_ part: EntrySelection.Part) throws(StoreError)
  /// Writes one entry.
  func write(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError)
  /// Called after the entries of each database.
  func endDatabase() throws(StoreError)
  /// Called once after the last database, also when reading failed: what was written comes out.
  func end() throws(StoreError)
}

/// What a member of an entry is called in records.
enum EntryColumn: String, CaseIterable {
  case db, key, value

  /// The columns of a list separated by commas.
  static func list(_ text: String?, isOneDatabase: Bool) throws(StoreError) -> [EntryColumn] {
    guard let text else { return isOneDatabase ? [.key, .value] : [.db, .key, .value] }
    var columns: [EntryColumn] = []
    for name in text.split(separator: ",") {
      let name = name.filter { $0 != " " }
      guard let column = EntryColumn(rawValue: name.lowercased()) else {
        throw StoreError(
          .unknownProperty, "entries have no column \"\(name)\"",
          suggestion: "the columns are db, key and value")
      }
      columns.append(column)
    }
    return columns
  }
}

/// Entries as JSON: `{"db":…,"key":…,"value":…}`, one a line or as the elements of one array.
final class EntryJSONWriter: EntryWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private let isArray: Bool
  /// Whether what a loader must know of databases is written as well.
  private let writesDatabases: Bool
  private let columns: [EntryColumn]
  private var head: FixedBytes?
  private var part: EntrySelection.Part?
  private var isFirst = true

  init(
    _ bytes: ByteWriter, _ options: ValueOptions, isArray: Bool, writesDatabases: Bool,
    columns: [EntryColumn]
  ) {
    self.bytes = bytes
    self.options = options
    self.isArray = isArray
    self.writesDatabases = writesDatabases
    self.columns = columns
  }

  func begin(_ part: EntrySelection.Part) throws(StoreError) {
    self.part = part
    let columns = columns
    head = try FixedBytes { writer throws(StoreError) in
      try writer.append("{")
      for (index, column) in columns.enumerated() {
        guard column == .db else { break }
        if index > 0 { try writer.append(",") }
        try writer.append("\"db\":")
        try writer.appendJSON(part.database.name)
      }
    }
    let database = part.database
    guard writesDatabases, database.entries == 0 || !database.flags.isEmpty else { return }
    try separate()
    var object = JSONObject(bytes)
    try object.text("db", database.name)
    try object.texts("flags", database.flags.names)
    try object.end()
    if !isArray { try bytes.append("\n") }
  }

  private func separate() throws(StoreError) {
    if isArray { try bytes.append(isFirst ? "[\n" : ",\n") }
    isFirst = false
  }

  func write(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    guard let part, let head else { return }
    try separate()
    try bytes.append(head.bytes)
    var isBegun = head.bytes.count > 1
    for (index, column) in columns.enumerated() {
      switch column {
      case .db:
        // The name at the beginning is in the head.
        if columns[..<index].allSatisfy({ $0 == .db }) { continue }
        try bytes.append(",\"db\":")
        try bytes.appendJSON(part.database.name)
      case .key:
        try bytes.append(isBegun ? ",\"key\":" : "\"key\":")
        try part.keys.writeJSON(key, to: bytes, options)
      case .value:
        try bytes.append(isBegun ? ",\"value\":" : "\"value\":")
        try part.values.writeJSON(value, to: bytes, options)
      }
      isBegun = true
    }
    try bytes.append(isArray ? "}" : "}\n")
  }

  func endDatabase() throws(StoreError) {}

  func end() throws(StoreError) {
    if isArray { try bytes.append(isFirst ? "[]\n" : "\n]\n") }
    try bytes.flush()
  }
}

/// Entries as the rows of one table, for all formats of records.
final class EntryRowWriter: EntryWriter {
  private let bytes: ByteWriter
  private let columns: [EntryColumn]
  private let makeWriter: (String) -> any RecordWriter
  /// Whether each database is a table of its own, as SQL and counts have it.
  private let isSeparate: Bool
  private let row: RowBuffer
  private var writer: (any RecordWriter)?
  private var part: EntrySelection.Part?
  private let showsNames: Bool

  init(
    _ bytes: ByteWriter, _ columns: [EntryColumn], _ format: OutputFormat, showsNames: Bool,
    make: @escaping (String) -> any RecordWriter
  ) {
    self.bytes = bytes
    self.columns = columns
    self.showsNames = showsNames
    isSeparate = format == .sql || format == .count
    row = RowBuffer(columns: columns.count)
    makeWriter = make
  }

  func begin(_ part: EntrySelection.Part) throws(StoreError) {
    self.part = part
    guard writer == nil || isSeparate else { return }
    let writer = makeWriter(part.database.name)
    self.writer = writer
    if isSeparate, showsNames, writer is CountWriter {
      try bytes.append(TerminalText.escaped(part.database.name) + " ")
    }
    try writer.begin(columns.map(\.rawValue))
  }

  func write(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    guard let part, let writer else { return }
    row.reset()
    for (index, column) in columns.enumerated() {
      switch column {
      case .db: row.setValue(.text(part.database.name), at: index)
      case .key: part.keys.decode(key, into: row, column: index)
      case .value: part.values.decode(value, into: row, column: index)
      }
    }
    try writer.write(row)
  }

  func endDatabase() throws(StoreError) {
    guard isSeparate else { return }
    try writer?.end()
    writer = nil
  }

  func end() throws(StoreError) {
    try writer?.end()
    try bytes.flush()
  }
}
