import Kura
import KuraCore

/// Schemas that are named on the command line: a snapshot in a file of JSON, or a store of Kura's.
enum SchemaSource {
  /// The schema of a path.
  ///
  /// - Throws: ``StoreError/Code/foreign`` for a database without Kura's schema, and what reading
  ///   throws.
  static func schema(_ path: String, _ context: CommandContext) throws(StoreError) -> Schema {
    if try isText(path) { return try MigrationFolder.snapshot(path) }
    let engine = try EngineOpener.open(
      .file(DataFile.path(of: path)),
      options: EngineOptions(access: .readOnly, isUntrusted: true, limits: context.limits),
      backends: Backends.all)
    defer { try? engine.close() }
    return try schema(of: engine, path)
  }

  /// The schema that a store records.
  static func schema(of engine: any StorageEngine, _ path: String) throws(StoreError) -> Schema {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    guard let schema = try transaction.storedSchema().kuraSchema else {
      throw StoreError(
        .foreign, "another program made this file, which has no schema of Kura's", path: path,
        suggestion: "name a store of Kura's, or a snapshot in JSON")
    }
    return schema
  }

  private static func isText(_ path: String) throws(StoreError) -> Bool {
    guard FileStatus.at(path)?.isRegularFile ?? false else { return false }
    let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    return try TextFile.beginning(of: path).first { !blank.contains($0) } == UInt8(ascii: "{")
  }
}
