import KuraCore

/// A folder of migrations: `0002-split-name.json` and so on, and `schemas/2.json`, snapshots of the
/// schemas that they lead to.
///
/// The number before the name is the version that the migration leads to. The order is that of the
/// versions in the files. Every `.json` or `.json5` file of the folder is a migration; others, hidden
/// ones and folders are left alone.
struct MigrationFolder {
  /// One migration and where it is written.
  struct File {
    var name: String
    var path: String
    var migration: Migration
  }

  /// The folder as the caller named it.
  let path: String
  /// The migrations in the order of their versions.
  let files: [File]
  /// The snapshots by version.
  let snapshots: [Int: Schema]
  /// The checked chain.
  let migrations: Migrations

  /// Reads a folder.
  ///
  /// - Throws: ``StoreError/Code/invalidMigration`` with the file, ``StoreError/Code/invalidSchema``,
  ///   and what reading throws.
  init(_ path: String) throws(StoreError) {
    self.path = path
    var files: [File] = []
    for name in try MigrationFolder.migrationNames(in: path) {
      files.append(try MigrationFolder.file(name, in: path))
    }
    self.files = files.sorted { $0.migration.from < $1.migration.from }
    snapshots = try MigrationFolder.snapshots(in: path)
    do {
      migrations = try Migrations(files.map(\.migration))
    } catch {
      throw error.at(path)
    }
  }

  /// The names of the files that are migrations.
  static func migrationNames(in folder: String) throws(StoreError) -> [String] {
    try TextFile.names(in: folder).filter(isJSON)
  }

  private static func isJSON(_ name: String) -> Bool {
    name.hasSuffix(".json") || name.hasSuffix(".json5")
  }

  /// Reads one migration and holds its name to its content.
  static func file(_ name: String, in folder: String) throws(StoreError) -> File {
    let path = MigrationFolder.path(name, in: folder)
    let migration: Migration
    let text = try TextFile.read(path)
    do throws(StoreError) {
      migration = try Migration(json: text)
    } catch {
      throw located(error, in: text).at(path)
    }
    guard let number = number(of: name) else {
      throw StoreError(
        .invalidMigration, "the name of a migration's file begins with the version it leads to",
        path: path, found: name, expected: usualName(of: migration),
        suggestion: "rename the file")
    }
    guard number == migration.to else {
      throw StoreError(
        .invalidMigration, "the file's name and its content name different versions", path: path,
        found: "version \(number) in the name, \"to\": \(migration.to) in the file",
        suggestion: "rename the file, or correct \"to\"")
    }
    return File(name: name, path: path, migration: migration)
  }

  /// An error with the place of the fault, where the text is no JSON at all.
  private static func located(_ error: StoreError, in text: String) -> StoreError {
    guard error.code == .invalidMigration, let place = JSONFault.position(in: text) else {
      return error
    }
    return StoreError(
      .invalidMigration,
      "the migration's JSON is wrong at line \(place.line), column \(place.column)",
      suggestion: "look there for a bracket, quote or comma that is missing or too much")
  }

  /// The number at the beginning of a name, which a `-` or `_` ends.
  private static func number(of name: String) -> Int? {
    let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let end = name.utf8.dropFirst(digits.count).first,
      end == UInt8(ascii: "-") || end == UInt8(ascii: "_")
    else { return nil }
    return Int(Substring(digits))
  }

  /// The name that a migration's file has: `0002-split-name.json`.
  static func usualName(of migration: Migration) -> String {
    let number = String(migration.to)
    let zeros = String(repeating: "0", count: max(0, 4 - number.utf8.count))
    let words = String(
      migration.id.map { character in
        character.isLetter || character.isNumber || "._-".contains(character) ? character : "-"
      })
    return "\(zeros)\(number)-\(words).json"
  }

  /// A name in a folder.
  static func path(_ name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  // MARK: Snapshots

  /// Where the snapshots of a folder are.
  static func snapshotFolder(of folder: String) -> String { path("schemas", in: folder) }

  private static func snapshots(in folder: String) throws(StoreError) -> [Int: Schema] {
    let folder = snapshotFolder(of: folder)
    guard FileStatus.at(folder) != nil else { return [:] }
    var snapshots: [Int: Schema] = [:]
    for name in try TextFile.names(in: folder) where isJSON(name) {
      let path = MigrationFolder.path(name, in: folder)
      let schema = try snapshot(path)
      guard Int(name.prefix { $0 != "." }) == schema.version else {
        throw StoreError(
          .invalidSchema, "the name of a snapshot is its version", path: path, found: name,
          expected: "\(schema.version).json", suggestion: "rename the file")
      }
      snapshots[schema.version] = schema
    }
    return snapshots
  }

  /// Reads a schema in its JSON form.
  static func snapshot(_ path: String) throws(StoreError) -> Schema {
    do throws(StoreError) {
      return try Schema(json: TextFile.read(path))
    } catch {
      throw error.at(path)
    }
  }

  // MARK: Where it leads

  /// The greatest version that the folder knows; `nil` for an empty one.
  var lastVersion: Int? {
    [migrations.all.last?.to, snapshots.keys.max()].compactMap(\.self).max()
  }

  /// The schema that a store of a schema is to get.
  ///
  /// - Parameter version: The version that is asked for; the last one otherwise.
  /// - Throws: A mistake when the version is no step of the way.
  func target(from stored: Schema, to version: Int?) throws(StoreError) -> Schema {
    let target = version ?? max(stored.version, lastVersion ?? stored.version)
    let steps = Set(migrations.all.map(\.to) + snapshots.keys + [stored.version])
    guard steps.contains(target) else {
      let known = steps.filter { $0 >= stored.version }.sorted().map(String.init)
      throw UsageError.make(
        "no migration in \(path) leads to version \(target)",
        hint: "one of \(known.joined(separator: ", "))")
    }
    guard target >= stored.version else {
      throw UsageError.make(
        "the store has version \(stored.version), and migrations lead forward only",
        hint: "restore a backup to go back")
    }
    do throws(StoreError) {
      if let snapshot = snapshots[target] { return snapshot }
      return try migrations.schema(from: stored, to: target)
    } catch {
      throw error.at(path)
    }
  }

  /// The file of a migration.
  func file(of id: String) -> File? { files.first { $0.migration.id == id } }
}
