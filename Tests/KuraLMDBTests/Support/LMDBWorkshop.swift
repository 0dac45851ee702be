import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// A folder for one test, with the engines opened in it and short forms of calls.
final class LMDBWorkshop {
  let folder: String
  private var engines: [any StorageEngine] = []

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/kura-lmdb-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    for engine in engines { try? engine.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  var path: String { folder + "/store.db" }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }

  func open(
    _ options: EngineOptions = EngineOptions(), _ backend: LMDBBackend = LMDBBackend(),
    at path: String? = nil
  ) throws -> any StorageEngine {
    let engine = try backend.open(.file(path ?? self.path), options)
    engines.append(engine)
    return engine
  }

  /// Opens a store and makes models in it.
  func make(
    _ models: ModelDescription..., options: EngineOptions = EngineOptions(),
    backend: LMDBBackend = LMDBBackend()
  ) throws -> any StorageEngine {
    let engine = try open(options, backend)
    try engine.write { transaction in
      for model in models { try transaction.apply(.createModel(model)) }
      try transaction.setSchema(try Schema(version: 1, models))
    }
    return engine
  }

  /// The entries of a database as stock `mdb_dump` prints them: keys and values in hexadecimal, one
  /// after the other.
  func stock(_ database: String, file: String? = nil) throws -> [String] {
    let output = try StockDump.output("mdb_dump -n -s '\(database)' '\(file ?? path)' 2>&1")
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    guard let start = lines.firstIndex(of: "HEADER=END"), let end = lines.firstIndex(of: "DATA=END")
    else { throw StockDumpFailure(text: lines.joined(separator: "\n")) }
    return lines[(start + 1)..<end].map { String($0.dropFirst()) }
  }

  /// What the deep check finds.
  func findings(_ engine: any StorageEngine) throws -> [String] {
    try engine.check(.deep, progress: nil).findings.map(\.message)
  }
}

struct StockDumpFailure: Error { let text: String }

extension StorageEngine {
  @discardableResult
  func write<R>(_ body: (any EngineWriteTransaction) throws -> R) throws -> R {
    let transaction = try beginWrite(timeout: nil)
    defer { transaction.end() }
    let result = try body(transaction)
    try transaction.commit()
    return result
  }

  func read<R>(_ body: (any EngineReadTransaction) throws -> R) throws -> R {
    let transaction = try beginRead()
    defer { transaction.end() }
    return try body(transaction)
  }
}

extension EngineReadTransaction {
  func rows(_ query: BoundQuery) throws -> [[StoredValue]] {
    let cursor = try cursor(for: query)
    defer { cursor.close() }
    let buffer = RowBuffer(columns: cursor.columnNames.count)
    var rows: [[StoredValue]] = []
    while try cursor.next(into: buffer) {
      rows.append((0..<buffer.count).map { buffer.value(at: $0) })
    }
    return rows
  }

  func row(_ key: RecordKey, _ layout: ModelLayout) throws -> [StoredValue]? {
    let buffer = RowBuffer(columns: layout.columns.count)
    guard try record(key, in: layout, into: buffer) else { return nil }
    return (0..<buffer.count).map { buffer.value(at: $0) }
  }

  func count(_ layout: ModelLayout) throws -> StoredValue? {
    try aggregate(AggregateRequest(BoundQuery(layout: layout), [.count])).first
  }
}

extension EngineWriteTransaction {
  @discardableResult
  func put(_ layout: ModelLayout, _ values: [StoredValue], _ mode: WriteMode = .insert) throws
    -> Int64?
  {
    let row = RowBuffer(columns: values.count)
    for (index, value) in values.enumerated() { row.setValue(value, at: index) }
    return try write(row, into: layout, mode: mode)
  }
}

/// The code of the error that a body throws.
func code(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StoreError)?.code
  }
}
