import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place where one check works: a folder, the engines opened in it, and short forms of calls.
final class ConformanceBench: Sendable {
  let backend: any StorageBackend
  let place: BackendConformance.Place
  let folder: String
  private let engines = Monitor<[any StorageEngine]>([])

  init(_ backend: any StorageBackend, _ place: BackendConformance.Place) throws {
    self.backend = backend
    self.place = place
    folder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("kura-conformance-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// The location of the check's first store.
  var location: StoreLocation { place == .memory ? .memory : .file(folder + "/store.db") }

  /// Opens the store; in memory each call opens another one.
  func open(
    _ access: EngineOptions.Access = .readWrite(create: true), at location: StoreLocation? = nil,
    busyTimeout: Duration = .seconds(20), maximumReaders: Int = 8
  ) throws -> any StorageEngine {
    let engine = try backend.open(
      location ?? self.location,
      EngineOptions(access: access, busyTimeout: busyTimeout, maximumReaders: maximumReaders))
    engines.withLock { $0.append(engine) }
    return engine
  }

  /// Opens the store and makes models in it.
  func make(_ models: ModelDescription...) throws -> any StorageEngine {
    let schema = try Schema(version: 1, models)
    let engine = try open()
    try write(engine) { transaction in
      for model in schema.models { try transaction.apply(.createModel(model)) }
      try transaction.setSchema(schema)
    }
    return engine
  }

  /// Writes and commits.
  @discardableResult
  func write<R>(
    _ engine: any StorageEngine, _ body: (any EngineWriteTransaction) throws -> R
  ) throws -> R {
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    let result = try body(transaction)
    try transaction.commit()
    return result
  }

  /// Reads one snapshot.
  func read<R>(
    _ engine: any StorageEngine, _ body: (any EngineReadTransaction) throws -> R
  ) throws -> R {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try body(transaction)
  }

  /// Checks every store that is still open and could be written, closes all and removes the folder.
  func finish() throws {
    for engine in engines.withLock({ $0 }) {
      do {
        let report = try engine.check(.deep, progress: nil)
        try expect(report.isClean, "the store is not sound afterwards: \(report.findings)")
      } catch let error as StoreError where error.code == .closed {
        continue
      }
    }
    abandon()
  }

  /// Closes everything and removes the folder.
  func abandon() {
    for engine in engines.withLock({ $0 }) { try? engine.close() }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Names, sizes, times and bytes of the folder's files, to compare before and after.
  func listing() throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder).sorted().map { name in
      let attributes = try manager.attributesOfItem(atPath: folder + "/" + name)
      let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      let bytes = manager.contents(atPath: folder + "/" + name) ?? Data()
      return "\(name) \(bytes.count) \(time) \(bytes.hashValue)"
    }
  }
}

extension EngineReadTransaction {
  /// All rows of a query.
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

  /// The row of a key.
  func row(_ key: RecordKey, _ layout: ModelLayout) throws -> [StoredValue]? {
    let buffer = RowBuffer(columns: layout.columns.count)
    guard try record(key, in: layout, into: buffer) else { return nil }
    return (0..<buffer.count).map { buffer.value(at: $0) }
  }

  /// The number of records of a query.
  func count(_ query: BoundQuery) throws -> Int64 {
    guard case .integer(let count)? = try aggregate(AggregateRequest(query, [.count])).first else {
      throw ConformanceFailure("a count is no integer")
    }
    return count
  }
}

extension EngineWriteTransaction {
  /// Writes a row of values.
  @discardableResult
  func put(_ layout: ModelLayout, _ values: [StoredValue], _ mode: WriteMode = .insert) throws
    -> Int64?
  {
    try write(RowBuffer(values), into: layout, mode: mode)
  }
}

extension RowBuffer {
  /// Makes a buffer with values.
  convenience init(_ values: [StoredValue]) {
    self.init(columns: values.count)
    for (index, value) in values.enumerated() { setValue(value, at: index) }
  }
}
