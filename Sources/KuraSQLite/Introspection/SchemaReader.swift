import KuraCore

/// Reads what a file declares.
struct SchemaReader {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  func read() throws(StoreError) -> StoredSchema {
    StoredSchema(
      kuraSchema: try MetadataTables.schema(connection),
      version: Int(try connection.integer("PRAGMA user_version") ?? 0), models: [])
  }
}
