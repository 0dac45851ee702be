import Foundation
import Kura
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
    #expect(try shape(path) == shape(fresh))
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    #expect(try engine.check(.deep, progress: nil).findings.map(\.message) == [])
    let transaction = try engine.beginRead()
    #expect(try transaction.storedSchema().kuraSchema?.fingerprint == schema.fingerprint)
    transaction.end()
    try engine.close()
  }

  /// What a file declares of its models, without the order of properties.
  private func shape(_ file: String) throws -> [String] {
    let engine = try EngineOpener.open(
      .file(file), options: EngineOptions(access: .readOnly), backends: Backends.default)
    let transaction = try engine.beginRead()
    let stored = try transaction.storedSchema()
    transaction.end()
    try engine.close()
    var lines: [String] = []
    for model in stored.models.sorted(by: { $0.name < $1.name }) {
      if model.kind == .system || model.name.hasPrefix("kura_") { continue }
      lines.append("model \(model.name) key \(model.primaryKey) strict \(model.isStrict)")
      let columns = model.columns.map { column in
        let name = "\(model.name).\(column.name) \(column.type) \(column.declaredType)"
        return "\(name) optional \(column.isOptional) default \(column.defaultSQL ?? "-")"
      }
      lines += columns.sorted()
      let indexes = model.indexes.map { index in
        let terms = index.terms.map { $0.column ?? "?" }
        let name = format == .sqlite ? index.name : ""
        return "\(model.name) index \(terms) unique \(index.isUnique) \(name)"
      }
      lines += indexes.sorted()
      let references = model.foreignKeys.map { key in
        "\(model.name) reference \(key.columns) to \(key.target) \(key.onDelete)"
      }
      lines += references.sorted()
    }
    return lines
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
