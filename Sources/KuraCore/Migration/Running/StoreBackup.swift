#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Copies of a store beside it, made before migrations.
package enum StoreBackup {
  /// The path of a new copy: the store's path, the version, the time.
  ///
  /// Names of one store and version are ordered by their time.
  package static func path(of store: String, version: Int, at time: String) -> String {
    // 2026-11-30 01:02:03.123456789, without what a file's name should not have.
    let digits = time.filter(\.isNumber)
    return "\(store).backup-\(digits.prefix(17))-v\(version)"
  }

  /// Makes a copy of the last commit and proves that it is one.
  ///
  /// - Throws: ``StoreError/Code/backupFailed`` with the reason.
  static func make(
    _ engine: any StorageEngine, at path: String, _ schema: Schema, counts: [String: Int64],
    _ configuration: StoreConfiguration, _ monitor: MigrationMonitor
  ) throws(StoreError) {
    removePartial(of: path)
    do throws(StoreError) {
      // The handler is called on this thread, as long as the copy runs.
      let relay = MonitorRelay(monitor)
      try engine.copy(to: .file(path), compacting: false) { done, total throws(StoreError) in
        try relay.note(done, total)
      }
    } catch {
      guard error.code != .cancelled else { throw error }
      throw failed(error)
    }
    do throws(StoreError) {
      try verify(path, schema, counts: counts, configuration)
    } catch {
      remove(path)
      throw failed(error)
    }
  }

  private static func verify(
    _ path: String, _ schema: Schema, counts: [String: Int64],
    _ configuration: StoreConfiguration
  ) throws(StoreError) {
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly),
      backends: configuration.backends)
    defer { try? engine.close() }
    guard try engine.check(.quick, progress: nil).isClean else {
      throw StoreError(.damaged, "the copy is damaged", path: path)
    }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    guard try transaction.storedSchema().kuraSchema?.fingerprint == schema.fingerprint else {
      throw StoreError(.damaged, "the copy has another schema", path: path)
    }
    for model in schema.models {
      let query = BoundQuery(layout: ModelLayout(model))
      guard
        case .integer(let count)? = try transaction.aggregate(
          AggregateRequest(query, [.count])
        ).first, count == counts[model.name]
      else {
        throw StoreError(.damaged, "the copy has another number of records", path: path)
      }
    }
  }

  private static func failed(_ error: StoreError) -> StoreError {
    StoreError(
      .backupFailed, "the store could not be copied before the migration: \(error.message)",
      path: error.path, found: error.found, expected: error.expected,
      suggestion: error.suggestion ?? "make room, or turn backups off",
      engineCode: error.engineCode)
  }

  /// Removes a copy, with what opening it may have left beside it.
  package static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] {
      unlink(FileName.bytes(of: path + suffix))
    }
  }

  /// Removes what copies left that were begun and never ended, because their process was killed.
  ///
  /// Copies are made under the store's write lock, so nobody is making one now.
  private static func removePartial(of copy: String) {
    guard let end = copy.ranges(of: ".backup-").last else { return }
    for path in files(of: String(copy[..<end.lowerBound])) where path.hasSuffix(".partial") {
      // NAME.PROCESS.NUMBER.partial
      let parts = path.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count > 3, parts.dropLast().suffix(2).allSatisfy({ UInt64($0) != nil }) else {
        continue
      }
      remove(path)
    }
  }

  /// The copies of a store, the oldest first.
  static func all(of store: String) -> [String] {
    files(of: store).filter { path in
      path.ranges(of: ".backup-").last.map { isCopy(path[$0.upperBound...]) } ?? false
    }.sorted()
  }

  /// The files beside a store whose names begin as those of its copies.
  private static func files(of store: String) -> [String] {
    let slash = store.lastIndex(of: "/")
    let folder = slash.map { $0 == store.startIndex ? "/" : String(store[..<$0]) } ?? "."
    let name = slash.map { String(store[store.index(after: $0)...]) } ?? store
    guard let entries = opendir(FileName.bytes(of: folder)) else { return [] }
    defer { closedir(entries) }
    var found: [String] = []
    while let entry = readdir(entries) {
      let other = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard other.hasPrefix(name + ".backup-") else { continue }
      found.append(slash == nil ? other : String(store[...(slash ?? store.startIndex)]) + other)
    }
    return found
  }

  /// Whether a name ends like those of ``path(of:version:at:)``.
  private static func isCopy(_ ending: Substring) -> Bool {
    let parts = ending.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 17 && parts[0].allSatisfy(\.isNumber)
      && parts[1].first == "v" && Int(parts[1].dropFirst()) != nil
  }

  /// Removes the oldest copies.
  package static func prune(_ store: String, keep: Int) {
    for path in all(of: store).dropLast(max(1, keep)) { remove(path) }
  }
}

/// Carries a monitor through a handler that may cross threads.
private final class MonitorRelay: @unchecked Sendable {
  // A copy calls its handler on the thread that asked for the copy, which waits for it: nobody else
  // uses the monitor meanwhile.
  private let monitor: MigrationMonitor

  init(_ monitor: MigrationMonitor) { self.monitor = monitor }

  func note(_ done: Int64, _ total: Int64?) throws(StoreError) {
    try monitor.note(done: done, total: total)
  }
}
