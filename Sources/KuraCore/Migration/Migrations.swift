/// The migrations of a store in the order of their versions, as one checked chain.
///
/// There is one way from each version on: a gap, two migrations from one version, and one identity or
/// one target version twice are errors when the value is made.
public struct Migrations: Sendable {
  /// The migrations, by the version that they begin with.
  public let all: [Migration]
  /// The code steps by name.
  public let codeSteps: [String: MigrationCodeStep]

  /// No migrations: only what is added without loss is inferred.
  public static let none = Migrations()

  private init() {
    all = []
    codeSteps = [:]
  }

  /// Makes a chain of migrations.
  ///
  /// - Throws: ``StoreError/Code/invalidMigration`` for a gap, a branch, a duplicate, a migration that
  ///   does not lead forward, and a code step that is missing or used by no migration.
  public init(_ migrations: [Migration], code: [MigrationCodeStep] = []) throws(StoreError) {
    all = migrations.sorted { $0.from < $1.from }
    codeSteps = Dictionary(code.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard codeSteps.count == code.count else {
      throw StoreError(.invalidMigration, "two code steps have one name")
    }
    try check()
  }

  /// Makes a chain of migrations.
  ///
  /// - Throws: As ``init(_:code:)-([Migration],_)``.
  public init(_ migrations: Migration..., code: [MigrationCodeStep] = []) throws(StoreError) {
    try self.init(migrations, code: code)
  }

  /// Makes a chain of migrations in JSON, such as the content of the files of a folder.
  ///
  /// - Throws: As ``init(_:code:)-([Migration],_)`` and ``Migration/init(json:)``.
  public init(json: [String], code: [MigrationCodeStep] = []) throws(StoreError) {
    var migrations: [Migration] = []
    for text in json { migrations.append(try Migration(json: text)) }
    try self.init(migrations, code: code)
  }

  private func check() throws(StoreError) {
    var ids: Set<String> = []
    for migration in all {
      guard !migration.id.isEmpty, migration.id.utf8.count <= 255 else {
        throw StoreError(.invalidMigration, "a migration's id has 1 to 255 bytes")
      }
      guard ids.insert(migration.id).inserted else {
        throw StoreError(.invalidMigration, "two migrations have the id \"\(migration.id)\"")
      }
      guard migration.from >= 1, migration.to > migration.from,
        migration.to <= Schema.maximumVersion
      else {
        throw StoreError(
          .invalidMigration, "migration \"\(migration.id)\" does not lead to a later version",
          found: "\(migration.from) to \(migration.to)",
          expected: "versions from 1 to \(Schema.maximumVersion)")
      }
    }
    for (before, after) in zip(all, all.dropFirst()) {
      guard before.from != after.from else {
        throw StoreError(
          .invalidMigration,
          "the migrations \"\(before.id)\" and \"\(after.id)\" both begin with version "
            + "\(before.from)",
          suggestion: "let one follow the other")
      }
      guard before.to == after.from else {
        throw StoreError(
          .invalidMigration,
          "migration \"\(before.id)\" leads to version \(before.to), and the next one, "
            + "\"\(after.id)\", begins with version \(after.from)",
          suggestion: before.to < after.from
            ? "add the migration in between" : "one version is reached twice")
      }
    }
    let used = all.flatMap(\.codeSteps)
    guard Set(used).count == used.count else {
      throw StoreError(.invalidMigration, "a code step is used twice")
    }
    if let unused = codeSteps.keys.sorted().first(where: { !used.contains($0) }) {
      let hint = closestMatch(unused, in: used)
      throw StoreError(
        .invalidMigration, "no migration uses the code step \"\(unused)\"",
        suggestion: hint.map { "did you mean \"\($0)\"?" })
    }
  }

  /// The migrations that a store of a version lacks.
  ///
  /// - Throws: ``StoreError/Code/invalidMigration`` when none begins with the version although later
  ///   ones are there.
  public func pending(from version: Int) throws(StoreError) -> [Migration] {
    let later = all.filter { $0.to > version }
    guard let first = later.first, first.from < version else { return later }
    throw StoreError(
      .invalidMigration,
      "no migration begins with version \(version); \"\(first.id)\" leads past it",
      found: "version \(version)", expected: "version \(first.from) or \(first.to)")
  }
}
