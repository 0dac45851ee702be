import Foundation
public import Kura

extension MigrationTester {
  /// Migrates a copy of a fixture and compares schema, records and integrity.
  func compare(_ old: Schema, to new: Schema, _ format: StoreFormat) throws
    -> [MigrationTestFailure]
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kura-migration-\(UUID().uuidString)"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/v\(old.version)-v\(new.version).\(format.rawValue)"
    try FileManager.default.copyItem(atPath: fixture(old.version, format), toPath: path)
    let problems: [String]
    do {
      problems = try self.problems(path, folder, old, new, format)
    } catch {
      problems = ["\(error)"]
    }
    if problems.isEmpty { try FileManager.default.removeItem(atPath: folder) }
    return problems.map {
      MigrationTestFailure(
        from: old.version, to: new.version, format: format, problem: $0, kept: path)
    }
  }

  private func problems(
    _ path: String, _ folder: String, _ old: Schema, _ new: Schema, _ format: StoreFormat
  ) throws -> [String] {
    let store = try Store.open(
      StoreConfiguration(
        at: .file(path), schema: new, migrations: try migrations(to: new.version),
        backup: .none, creation: .never, format: format))
    let lines = try StoreDump.lines(of: store)
    try store.close()

    var problems: [String] = []
    let expected = dump(old.version, to: new.version)
    if let text = try? String(contentsOfFile: expected, encoding: .utf8) {
      let wanted = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
      if wanted != lines {
        problems.append("the records differ from \(expected)\n" + difference(wanted, lines))
      }
    } else {
      problems.append("there is no \(expected); record(_:fill:) makes it")
    }
    let fresh = "\(folder)/fresh"
    try Store.open(StoreConfiguration(at: .file(fresh), schema: new, format: format)).close()
    let (found, wanted) = (try StoreShape.lines(of: path), try StoreShape.lines(of: fresh))
    if found != wanted {
      problems.append("the file is not like a fresh one\n" + difference(wanted, found))
    }
    let engine = try EngineOpener.open(
      .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    defer { try? engine.close() }
    let report = try engine.check(.deep, progress: nil)
    if !report.isClean {
      problems.append(
        "the file is not whole: " + report.findings.map(\.message).joined(separator: "; "))
    }
    return problems
  }

  private func difference(_ wanted: [String], _ found: [String]) -> String {
    found.difference(from: wanted).map { change in
      switch change {
      case .remove(_, let line, _): "  - \(line)"
      case .insert(_, let line, _): "  + \(line)"
      }
    }.joined(separator: "\n")
  }

  /// Makes the fixtures of a version, where they are missing, and the dumps that are missing.
  ///
  /// What exists stays as it is, also when it would come out differently today: that is what the files
  /// are kept for. Look at new dumps before they are committed.
  ///
  /// - Parameters:
  ///   - version: The version, one of ``schemas``.
  ///   - fill: Writes the records of the fixture.
  /// - Returns: The paths of the files that were made.
  public func record(_ version: Int, fill: (WriteTransaction) throws -> Void) throws -> [String] {
    guard let schema = schemas.first(where: { $0.version == version }) else {
      throw StoreError(.invalidSchema, "there is no schema of version \(version)")
    }
    try FileManager.default.createDirectory(atPath: fixtures, withIntermediateDirectories: true)
    var made: [String] = []
    for format in formats where !FileManager.default.fileExists(atPath: fixture(version, format)) {
      let path = fixture(version, format)
      let temporary = FileManager.default.temporaryDirectory.appendingPathComponent(
        "kura-fixture-\(UUID().uuidString)"
      ).path
      let store = try Store.open(
        StoreConfiguration(at: .file(temporary), schema: schema, format: format))
      try store.write(fill)
      try store.close()
      // A copy of one file, without a log beside it.
      let engine = try EngineOpener.open(
        .file(temporary), options: EngineOptions(access: .readWrite(create: false)),
        backends: Backends.default)
      try engine.copy(to: .file(path), compacting: true, progress: nil)
      try engine.close()
      for suffix in ["", "-wal", "-shm", "-lock"] {
        try? FileManager.default.removeItem(atPath: temporary + suffix)
      }
      made.append(path)
    }
    for old in schemas {
      for new in schemas where new.version >= old.version {
        made += try recordDump(old, new)
      }
    }
    return made
  }

  private func recordDump(_ old: Schema, _ new: Schema) throws -> [String] {
    let path = dump(old.version, to: new.version)
    guard !FileManager.default.fileExists(atPath: path),
      let format = formats.first(where: {
        FileManager.default.fileExists(atPath: fixture(old.version, $0))
      })
    else { return [] }
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kura-dump-\(UUID().uuidString)"
    ).path
    try FileManager.default.copyItem(atPath: fixture(old.version, format), toPath: copy)
    defer {
      for suffix in ["", "-wal", "-shm", "-lock"] {
        try? FileManager.default.removeItem(atPath: copy + suffix)
      }
    }
    let store = try Store.open(
      StoreConfiguration(
        at: .file(copy), schema: new, migrations: try migrations(to: new.version), backup: .none,
        creation: .never, format: format))
    let lines = try StoreDump.lines(of: store)
    try store.close()
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: path, atomically: true, encoding: .utf8)
    return [path]
  }
}
