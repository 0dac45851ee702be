import KuraCore

/// Looks for what is wrong or dangerous in a folder of migrations, without a store.
struct MigrationLint {
  /// How bad a finding is.
  enum Severity: String {
    /// It cannot run, or must not as it is.
    case error
    /// It fails on some stores.
    case warning
    /// It is worth to be known.
    case note
  }

  /// One finding.
  struct Finding {
    var severity: Severity
    /// A stable name of the rule.
    var rule: String
    var file: String
    /// The number of the operation, from 1.
    var operation: Int?
    var message: String
  }

  private(set) var findings: [Finding] = []
  private var file = ""
  private var number: Int?

  private mutating func add(_ severity: Severity, _ rule: String, _ message: String) {
    findings.append(
      Finding(severity: severity, rule: rule, file: file, operation: number, message: message))
  }

  /// Looks at a folder.
  ///
  /// - Parameter base: The schema that the first migration begins with, where it is known.
  /// - Throws: What reading the folder throws; a file that cannot be read is a finding.
  init(_ folder: String, base: Schema?) throws(StoreError) {
    var files: [MigrationFolder.File] = []
    for name in try MigrationFolder.migrationNames(in: folder) {
      file = name
      do throws(StoreError) {
        files.append(try MigrationFolder.file(name, in: folder))
      } catch {
        guard error.code.kind == .callerMistake || error.code == .newerFormat else { throw error }
        add(.error, "invalid", ErrorText.sentence(error))
      }
    }
    guard findings.isEmpty else { return }
    file = folder
    let all: MigrationFolder
    do throws(StoreError) {
      all = try MigrationFolder(folder)
    } catch {
      guard error.code.kind == .callerMistake || error.code == .newerFormat else { throw error }
      add(.error, "chain", ErrorText.sentence(error))
      return
    }
    check(all, base: base)
  }

  // MARK: The chain

  private mutating func check(_ folder: MigrationFolder, base: Schema?) {
    // The schema before each operation, as far as it is known.
    var current = base
    for migrationFile in folder.files {
      let migration = migrationFile.migration
      file = migrationFile.name
      number = nil
      if let snapshot = folder.snapshots[migration.from] {
        compare(current, with: snapshot)
        current = snapshot
      }
      if let schema = current, schema.version < migration.from {
        // What lies between was inferred and is not known here.
        current = try? Schema(version: migration.from, schema.models)
      } else if let schema = current, schema.version > migration.from {
        current = nil
      }
      check(migrationFile)
      current = walk(migration, current)
    }
    file = folder.path
    number = nil
    if let last = folder.migrations.all.last?.to {
      if let snapshot = folder.snapshots[last] {
        compare(current, with: snapshot)
      } else {
        add(.note, "no-snapshot", "schemas/\(last).json is not there to compare the result with")
      }
    }
  }

  private mutating func compare(_ reached: Schema?, with snapshot: Schema) {
    guard let reached, reached.version == snapshot.version else { return }
    for change in SchemaDiff(from: reached, to: snapshot).changes {
      add(
        .error, "snapshot",
        "the migrations do not lead to schemas/\(snapshot.version).json: \(change)")
    }
  }

  private mutating func check(_ file: MigrationFolder.File) {
    if file.migration.operations.isEmpty {
      add(.note, "empty", "the migration does nothing but count the version")
    }
    let usual = MigrationFolder.usualName(of: file.migration)
    let given = file.name.hasSuffix(".json5") ? String(file.name.dropLast()) : file.name
    if given != usual {
      add(.note, "file-name", "the file is usually named \(usual)")
    }
  }

  /// Looks at each operation and returns the schema after them.
  private mutating func walk(_ migration: Migration, _ schema: Schema?) -> Schema? {
    var current = schema
    for (index, operation) in migration.operations.enumerated() {
      number = index + 1
      if let schema = current {
        do throws(StoreError) {
          let next = try operation.applied(to: schema)
          check(operation, of: migration, in: schema)
          current = next
        } catch {
          add(.error, "impossible", ErrorText.sentence(error))
          return nil
        }
      } else {
        check(operation, of: migration, in: nil)
      }
    }
    number = nil
    return current.flatMap { try? Schema(version: migration.to, $0.models) }
  }

  // MARK: One operation

  private mutating func check(
    _ operation: MigrationOperation, of migration: Migration, in schema: Schema?
  ) {
    // Without a schema only some losses are known, and those are losses whatever it is.
    let loss = MigrationLint.loss(operation, schema)
    if let loss, !migration.allowsLoss {
      add(.error, "loss", "loses \(loss); \"allowsLoss\": true allows it")
    }
    if let schema, let back = try? operation.reversal(in: schema), back.operations == nil {
      add(.note, "no-way-back", "nothing undoes it but a backup")
    }
    for (rule, message) in MigrationLint.dangers(operation, schema) { add(.warning, rule, message) }
    switch operation {
    case .code(let name, _):
      add(.warning, "code", "the command line has no code step \"\(name)\"; only the app has it")
    case .sql, .createObject, .removeObject:
      add(.note, "sql", "stores in LMDB files cannot be migrated with SQL")
    default: break
    }
  }

  private static func loss(_ operation: MigrationOperation, _ schema: Schema?) -> String? {
    switch operation {
    case .sql, .removeObject: operation.sqlLoss
    default: schema.map { operation.loss(in: $0) } ?? certainLoss(operation)
    }
  }

  private static func certainLoss(_ operation: MigrationOperation) -> String? {
    switch operation {
    case .removeModel(let name): "the records of \(name)"
    case .removeProperty(let model, let name): "the values of \(model).\(name)"
    default: nil
    }
  }

  /// What fails on some stores.
  private static func dangers(_ operation: MigrationOperation, _ schema: Schema?) -> [(
    String, String
  )] {
    switch operation {
    case .addProperty(let model, let property, nil)
    where !property.isOptional && property.defaultValue == nil:
      return [
        ("required", "fails when \(model) has a record: there is no value for \(property.name)")
      ]
    case .changeProperty(let model, let name, let change):
      return dangers(change, model, name, schema)
    case .changePrimaryKey(let model, let key, .fail):
      return [
        ("unique", "fails when two records of \(model) have one \(key.joined(separator: ", "))")
      ]
    case .addIndex(let model, let index) where index.isUnique:
      return [
        (
          "unique",
          "fails when two records of \(model) have one \(index.properties.joined(separator: ", "))"
        )
      ]
    case .addReference(let model, let name, let reference, .fail):
      return [
        (
          "reference",
          "fails when \(model).\(name) has a value that is no key of \(reference.target)"
        )
      ]
    case .delete(let model, nil, _, nil):
      return [("delete-all", "deletes every record of \(model)")]
    default: return []
    }
  }

  private static func dangers(
    _ change: PropertyChange, _ model: String, _ name: String, _ schema: Schema?
  ) -> [(String, String)] {
    var found: [(String, String)] = []
    let property = schema?.model(named: model)?.property(named: name)
    if change.isOptional == false, change.replacingNulls == nil, change.onFailure == .fail,
      property?.isOptional ?? true
    {
      found.append(("required", "fails when a record of \(model) has no \(name)"))
    }
    if let type = change.type, type != property?.type, type != .text, change.onFailure == .fail {
      found.append(
        (
          "conversion",
          "fails when a value of \(model).\(name) cannot be converted to \(type.rawValue)"
        ))
    }
    if change.isUnique == true {
      found.append(("unique", "fails when two records of \(model) have one \(name)"))
    }
    return found
  }
}
