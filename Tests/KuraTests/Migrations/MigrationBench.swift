import Foundation
import Kura
import KuraTesting
import Testing

/// One store file on one backend, and short forms of what tests of migrations do with it.
struct MigrationBench {
  let folder: TemporaryFolder
  let format: StoreFormat
  var path: String { folder.file("store") }

  init(_ format: StoreFormat) throws {
    folder = try TemporaryFolder()
    self.format = format
  }

  func configuration(
    _ schema: Schema, _ migrations: Migrations = .none,
    backup: BackupPolicy = .none
  ) -> StoreConfiguration {
    StoreConfiguration(
      at: .file(path), schema: schema, migrations: migrations, backup: backup, format: format)
  }

  /// Makes the store and writes records.
  func make(_ schema: Schema, _ body: (WriteTransaction) throws -> Void = { _ in }) throws {
    let store = try Store.open(configuration(schema))
    try store.write(body)
    try store.close()
  }

  /// Opens the store with migrations, reads, closes and looks whether the file is whole and equal to a
  /// fresh one of the schema.
  @discardableResult
  func migrate<R>(
    to schema: Schema, _ migrations: Migrations = .none, backup: BackupPolicy = .none,
    _ body: (ReadTransaction) throws -> R
  ) throws -> R {
    let store = try Store.open(configuration(schema, migrations, backup: backup))
    let result = try store.read(body)
    #expect(store.schema == schema)
    try store.close()
    try expectFresh(schema)
    return result
  }

  /// Expects that the file declares what a fresh store of the schema declares, and that it is whole.
  func expectFresh(_ schema: Schema) throws {
    let fresh = folder.file("fresh")
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: fresh + suffix)
    }
    var other = configuration(schema)
    other.location = .file(fresh)
    try Store.open(other).close()
    #expect(try StoreShape.lines(of: path) == StoreShape.lines(of: fresh))
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    #expect(try engine.check(.deep, progress: nil).findings.map(\.message) == [])
    let transaction = try engine.beginRead()
    #expect(try transaction.storedSchema().kuraSchema?.fingerprint == schema.fingerprint)
    transaction.end()
    try engine.close()
  }

  /// What stock `sqlite3` prints for some SQL about the file.
  func stock(_ sql: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", path, sql]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// The bytes of the store's own files.
  func bytes() throws -> [String] {
    try folder.snapshot().filter { $0.hasPrefix("store") && !$0.hasPrefix("store-lock") }
  }

  /// The store's history.
  func history(_ schema: Schema) throws -> [MigrationRecord] {
    let store = try Store.open(configuration(schema))
    defer { try? store.close() }
    return try store.history().records
  }
}

extension ReadTransaction {
  /// The records of a model in key order, as texts for comparison.
  func dump(_ model: String) throws -> [String] {
    try records(Query(model)).map { record in
      zip(record.layout.columns, record.values).map { "\($0.name)=\(text($1))" }.sorted()
        .joined(separator: " ")
    }
  }

  private func text(_ value: StoredValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .bool(let value): "\(value)"
    default: "\(value)"
    }
  }
}

/// The backends that migrations are tested on.
let migratedFormats: [StoreFormat] = [.sqlite, .lmdb]
