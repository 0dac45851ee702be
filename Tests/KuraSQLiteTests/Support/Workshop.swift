import Foundation
import KuraCore
import Testing

@testable import KuraSQLite

/// A folder for one test, with the engines opened in it and short forms of calls.
final class Workshop {
  let folder: String
  private var engines: [SQLiteEngine] = []

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/kura-engine-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    for engine in engines { try? engine.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  var path: String { folder + "/store.sqlite" }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }

  func open(_ options: EngineOptions = EngineOptions(), memory: Bool = false) throws
    -> SQLiteEngine
  {
    let location: StoreLocation = memory ? .memory : .file(path)
    let engine = try #require(try SQLiteBackend().open(location, options) as? SQLiteEngine)
    engines.append(engine)
    return engine
  }

  /// Opens a store and makes models in it.
  func make(
    _ models: ModelDescription..., options: EngineOptions = EngineOptions(), memory: Bool = false
  ) throws -> SQLiteEngine {
    let engine = try open(options, memory: memory)
    try engine.write { transaction in
      for model in models { try transaction.apply(.createModel(model)) }
      try transaction.setSchema(try Schema(version: 1, models))
    }
    return engine
  }

  /// What stock `sqlite3` prints for some SQL about the store's file.
  func stock(_ sql: String, file: String? = nil) throws -> String {
    try ChildProcess.output("sqlite3", ["-batch", file ?? path, sql])
  }
}

extension SQLiteEngine {
  @discardableResult
  func write<R>(_ body: (SQLiteWriteTransaction) throws -> R) throws -> R {
    let transaction = try #require(try beginWrite(timeout: nil) as? SQLiteWriteTransaction)
    defer { transaction.end() }
    let result = try body(transaction)
    try transaction.commit()
    return result
  }

  func read<R>(_ body: (SQLiteTransaction) throws -> R) throws -> R {
    let transaction = try beginSQLRead()
    defer { transaction.end() }
    return try body(transaction)
  }
}

extension EngineReadTransaction {
  /// All rows of a query.
  func rows(_ query: BoundQuery) throws -> [[StoredValue]] { try cursor(for: query).allRows() }

  /// All rows of a model in key order.
  func rows(_ layout: ModelLayout) throws -> [[StoredValue]] {
    try rows(
      BoundQuery(layout: layout, order: layout.keyColumns.map { BoundSortTerm(column: $0) }))
  }
}

extension SQLReadTransaction {
  /// All rows of raw SQL.
  func rows(sql: String, _ parameters: [String: StoredValue] = [:]) throws -> [[StoredValue]] {
    try cursor(sql: sql, parameters: parameters).allRows()
  }
}

extension RecordCursor {
  fileprivate func allRows() throws -> [[StoredValue]] {
    defer { close() }
    let row = RowBuffer(columns: columnNames.count)
    var rows: [[StoredValue]] = []
    while try next(into: row) { rows.append((0..<row.count).map { row.value(at: $0) }) }
    return rows
  }
}

extension EngineWriteTransaction {
  /// Writes one record.
  @discardableResult
  func put(_ layout: ModelLayout, _ values: [StoredValue], _ mode: WriteMode = .insert) throws
    -> Int64?
  {
    try write(RowBuffer(values), into: layout, mode: mode)
  }
}

extension RowBuffer {
  /// A buffer of values.
  convenience init(_ values: [StoredValue]) {
    self.init(columns: values.count)
    for (column, value) in values.enumerated() { setValue(value, at: column) }
  }
}

/// Expects a ``StoreError`` of a code and gives it back.
@discardableResult
func expectError(
  _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) -> StoreError? {
  do {
    try body()
    Issue.record("threw nothing, expected \(code)", sourceLocation: sourceLocation)
    return nil
  } catch {
    let found = error as? StoreError
    #expect(found?.code == code, "threw \(error)", sourceLocation: sourceLocation)
    return found
  }
}
