/// What a file's schema is compared with the expected one.
enum SchemaComparison {
  case current
  case empty
  case older(Schema, SchemaDiff)
  case drifted(Schema, SchemaDiff)
  case newer(Schema)
  case foreign(String)

  init(_ stored: StoredSchema, expected: Schema, format: StoreFormat) {
    guard let found = stored.kuraSchema else {
      let models = stored.models.filter { $0.kind != .system && $0.kind != .shadow }
      guard stored.models.isEmpty, stored.version == 0 else {
        self = .foreign(SchemaComparison.describe(models, stored.version, format))
        return
      }
      self = .empty
      return
    }
    if found.version > expected.version {
      self = .newer(found)
    } else if found.version < expected.version {
      self = .older(found, SchemaDiff(from: found, to: expected))
    } else if found.fingerprint != expected.fingerprint {
      self = .drifted(found, SchemaDiff(from: found, to: expected))
    } else {
      self = .current
    }
  }

  private static func describe(_ models: [StoredModel], _ version: Int, _ format: StoreFormat)
    -> String
  {
    let names = models.prefix(3).map { "\"\($0.name.prefix(40))\"" }.joined(separator: ", ")
    let rest = models.count > 3 ? ", …" : ""
    let count = models.count == 1 ? "1 model" : "\(models.count) models"
    return "a database of format \(format) with \(count)"
      + (names.isEmpty ? "" : " (\(names)\(rest))")
      + (version == 0 ? "" : ", version \(version)")
  }

  /// The public form; that of an older store has a plan and is made elsewhere.
  func state(expected: Schema) -> StoreState {
    switch self {
    case .current: .current
    case .empty: .empty
    case .older:
      .unexplained(
        error(expected: expected, path: nil)
          ?? StoreError(.migrationRequired, "a migration is needed"))
    case .drifted(_, let diff): .drifted(diff)
    case .newer(let found): .newer(version: found.version)
    case .foreign(let kind): .foreign(kind)
    }
  }

  /// The error for a comparison that does not allow to open the store; `nil` when it does.
  func error(expected: Schema, path: String?) -> StoreError? {
    switch self {
    case .current, .empty: return nil
    case .older(let found, let diff):
      var error = StoreError(
        .migrationRequired, "the store's schema is older than the app's", path: path,
        found: "version \(found.version)", expected: "version \(expected.version)",
        suggestion: "migrate the store, or open it read-only")
      error.schemaDifference = diff
      return error
    case .drifted(let found, let diff):
      var error = StoreError(
        .drifted, "the store's schema differs from the app's of the same version", path: path,
        found: "fingerprint \(found.fingerprint.prefix(12))",
        expected: "fingerprint \(expected.fingerprint.prefix(12))",
        suggestion: "give the changed schema a new version")
      error.schemaDifference = diff
      return error
    case .newer(let found):
      return StoreError(
        .newer, "the store's schema is newer than the app's", path: path,
        found: "version \(found.version)", expected: "version \(expected.version)",
        suggestion: "update the app, or open the store read-only")
    case .foreign(let kind):
      return StoreError(
        .foreign, "Kura did not make this file", path: path, found: kind,
        expected: "a Kura store or no file", suggestion: "use another path")
    }
  }
}
