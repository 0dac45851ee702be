import KuraCore

/// Writes rows in one format, one after the other, in constant memory.
protocol RecordWriter: AnyObject {
  /// Called once before the first row.
  func begin(_ columns: [String]) throws(StoreError)
  /// Writes one row.
  func write(_ row: RowBuffer) throws(StoreError)
  /// Called once after the last row.
  func end() throws(StoreError)
  /// Called instead of ``end()`` when reading failed: rows that were written must come out.
  func abandon() throws(StoreError)
}

extension RecordWriter {
  func abandon() throws(StoreError) {}
}

/// Makes the writer of a format.
enum RecordWriters {
  static func make(
    _ format: OutputFormat, _ bytes: ByteWriter, options: ValueOptions, terminal: Terminal,
    model: String
  ) -> any RecordWriter {
    switch format {
    case .table: TableWriter(bytes, options, terminal)
    case .list: ListWriter(bytes, options, terminal)
    case .line: LineWriter(bytes, options, terminal)
    case .json: JSONWriter(bytes, options, isArray: true)
    case .ndjson: JSONWriter(bytes, options, isArray: false)
    case .csv: SeparatedWriter(bytes, options, .csv)
    case .tsv: SeparatedWriter(bytes, options, .tsv)
    case .markdown: MarkdownWriter(bytes, options)
    case .html: HTMLWriter(bytes, options)
    case .sql: SQLInsertWriter(bytes, model)
    case .count: CountWriter(bytes)
    case .none: CountWriter(nil)
    }
  }

  /// Column names that are unique: `n`, `n_2`, as JSON objects need them.
  static func unique(_ names: [String]) -> [String] {
    var taken = Set(names)
    var seen: Set<String> = []
    return names.map { name in
      if seen.insert(name).inserted { return name }
      var number = 2
      while taken.contains("\(name)_\(number)") { number += 1 }
      taken.insert("\(name)_\(number)")
      return "\(name)_\(number)"
    }
  }
}

/// Counts rows and writes the count, or nothing.
final class CountWriter: RecordWriter {
  private let bytes: ByteWriter?
  private var count: Int64 = 0
  init(_ bytes: ByteWriter?) { self.bytes = bytes }
  func begin(_ columns: [String]) throws(StoreError) {}
  func write(_ row: RowBuffer) throws(StoreError) { count += 1 }
  func end() throws(StoreError) {
    guard let bytes else { return }
    try bytes.append(count)
    try bytes.append(UInt8(ascii: "\n"))
  }
}
