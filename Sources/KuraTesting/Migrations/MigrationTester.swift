import Foundation
public import Kura

/// Migrates frozen files of old versions and compares what comes out with what is written down.
///
/// The fixtures are a folder under version control: for each version `v1.sqlite` and `v1.lmdb`, the
/// records in them as text in `v1.dump`, and in `v1-v3.dump` the records that version 3 has of them.
/// ``record(_:fill:)`` makes what is missing for a new version, and never touches what is there.
///
/// ```swift
/// @Test func migrations() throws {
///   let tester = MigrationTester(
///     fixtures: "Fixtures/migrations", schemas: [v1, v2, v3], migrations: migrations)
///   #expect(try tester.run() == [])
/// }
/// ```
public struct MigrationTester: Sendable {
  /// The folder of the fixtures.
  public let fixtures: String
  /// The schemas of all versions, the oldest first.
  public let schemas: [Schema]
  /// The migrations that lead through them.
  public let migrations: Migrations
  /// The formats that are tested.
  public let formats: [StoreFormat]

  /// Makes a tester.
  public init(
    fixtures: String, schemas: [Schema], migrations: Migrations,
    formats: [StoreFormat] = [.sqlite, .lmdb]
  ) {
    self.fixtures = fixtures
    self.schemas = schemas.sorted { $0.version < $1.version }
    self.migrations = migrations
    self.formats = formats
  }

  /// Migrates every fixture to every later version.
  ///
  /// - Returns: What is not as it should be; a store that failed is kept and named.
  /// - Throws: What prevents the test itself, such as a folder that cannot be written.
  public func run() throws -> [MigrationTestFailure] {
    var failures: [MigrationTestFailure] = []
    for old in schemas {
      for format in formats {
        let file = fixture(old.version, format)
        guard FileManager.default.fileExists(atPath: file) else {
          failures.append(
            MigrationTestFailure(
              from: old.version, to: old.version, format: format,
              problem: "there is no fixture; record(_:fill:) makes it", kept: file))
          continue
        }
        failures += try compare(old, to: old, format)
        for new in schemas where new.version > old.version {
          failures += try compare(old, to: new, format)
        }
      }
    }
    return failures
  }

  /// The path of a fixture.
  func fixture(_ version: Int, _ format: StoreFormat) -> String {
    "\(fixtures)/v\(version).\(format.rawValue)"
  }

  /// The path of the records that a version has of a fixture.
  func dump(_ from: Int, to: Int) -> String {
    from == to ? "\(fixtures)/v\(from).dump" : "\(fixtures)/v\(from)-v\(to).dump"
  }

  /// The migrations up to a version.
  func migrations(to version: Int) throws -> Migrations {
    let chosen = migrations.all.filter { $0.to <= version }
    let used = Set(chosen.flatMap(\.codeSteps))
    return try Migrations(
      chosen, code: migrations.codeSteps.values.filter { used.contains($0.name) })
  }
}
