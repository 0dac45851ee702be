import KuraCore

/// `migrate new`: a migration out of two schemas.
enum MigrateNewCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    let folder = try arguments.value("with").map { path throws(StoreError) in
      try MigrationFolder(path)
    }
    let (old, wanted) = try schemas(folder, context)
    let new = try renaming(wanted, context)
    let id = arguments.value("id") ?? "version-\(new.version)"
    let migration = try Migration.proposal(id, from: old, to: new)
    try checkRenames(new, migration)
    for hint in SchemaDiff(from: old, to: wanted).renameHints
    where !new.renames.contains(where: { hint.hasSuffix($0.property ?? $0.model) }) {
      context.note("\(hint.drop { $0 == "?" || $0 == " " }); say so with --rename")
    }
    let text = try text(migration, old)
    guard arguments.has("write") else {
      try context.bytes.append(text)
      try context.bytes.flush()
      return .done
    }
    guard let folder else { throw UsageError.make("--write needs --with FOLDER") }
    try write(migration, text, folder, [old, new], context)
    return .done
  }

  // MARK: The schemas

  private static func schemas(_ folder: MigrationFolder?, _ context: CommandContext)
    throws(StoreError) -> (Schema, Schema)
  {
    let words = context.arguments.positional
    if words.count > 1 {
      return (
        try SchemaSource.schema(words[0], context), try SchemaSource.schema(words[1], context)
      )
    }
    guard let folder, let last = folder.snapshots.max(by: { $0.key < $1.key })?.value else {
      throw UsageError.make(
        "migrate new needs the old schema and the new one",
        hint:
          "migrate new OLD NEW, each a snapshot in JSON or a store; or --with a FOLDER that has "
          + "schemas/1.json")
    }
    return (last, try SchemaSource.schema(words[0], context))
  }

  private static func renaming(_ schema: Schema, _ context: CommandContext) throws(StoreError)
    -> Schema
  {
    var renames: [SchemaRename] = []
    for word in context.arguments.values("rename") {
      let sides = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      let names = sides[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, !sides[1].isEmpty, (1...2).contains(names.count) else {
        throw UsageError.make(
          "--rename cannot be \"\(word)\"",
          hint: "OLD=NEW for a model, MODEL.OLD=NEW for a property")
      }
      renames.append(
        names.count == 1
          ? SchemaRename(model: sides[1], from: names[0])
          : SchemaRename(model: names[0], property: sides[1], from: names[1]))
    }
    return try Schema(version: schema.version, schema.models, renames: renames)
  }

  /// A rename that nothing came of is a mistake, and would otherwise be a loss.
  private static func checkRenames(_ new: Schema, _ migration: Migration) throws(StoreError) {
    for rename in new.renames {
      let operation: MigrationOperation =
        rename.property.map {
          .renameProperty(model: rename.model, from: rename.from, to: $0)
        } ?? .renameModel(from: rename.from, to: rename.model)
      guard !migration.operations.contains(operation) else { continue }
      throw UsageError.make(
        "nothing can be renamed from \(rename.from) to \(rename.property ?? rename.model)",
        hint: "the old schema has the old name, the new one the new name, and MODEL is the new "
          + "schema's")
    }
  }

  // MARK: The file

  /// The migration's JSON, with what it loses as comments.
  private static func text(_ migration: Migration, _ old: Schema) throws(StoreError) -> String {
    var losses: [String] = []
    var current = old
    for operation in migration.operations {
      if let loss = operation.loss(in: current) { losses.append(loss) }
      current = try operation.applied(to: current)
    }
    let comments = losses.map { "// Loses \($0); \"allowsLoss\": true allows it.\n" }.joined()
    let lines = migration.operations.map { "    \($0.canonicalJSON),\n" }.joined()
    return comments + """
      {
        "format": 1,
        "id": \(quoted(migration.id)),
        "from": \(migration.from), "to": \(migration.to),
        "operations": [
      \(lines)  ],
      }

      """
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    let writer = ByteWriter(capacity: 256) { part throws(StoreError) in bytes += part }
    // Memory takes everything; nothing here can fail.
    try? writer.appendJSON(text)
    try? writer.flush()
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(
    _ migration: Migration, _ text: String, _ folder: MigrationFolder, _ schemas: [Schema],
    _ context: CommandContext
  ) throws(StoreError) {
    // What the folder becomes must be a chain.
    do throws(StoreError) {
      _ = try Migrations(folder.files.map(\.migration) + [migration])
    } catch {
      throw error.at(folder.path)
    }
    let path = MigrationFolder.path(MigrationFolder.usualName(of: migration), in: folder.path)
    try TextFile.create(path, text)
    try MigrateCommand.line(path, context)
    let snapshots = MigrationFolder.snapshotFolder(of: folder.path)
    try TextFile.makeFolder(snapshots)
    for schema in schemas where folder.snapshots[schema.version] == nil {
      let path = MigrationFolder.path("\(schema.version).json", in: snapshots)
      try TextFile.create(path, schema.canonicalJSON + "\n")
      try MigrateCommand.line(path, context)
    }
    try context.bytes.flush()
  }
}
