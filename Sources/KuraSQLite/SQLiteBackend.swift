import CSQLite
public import KuraCore

/// The backend for SQLite 3 files, Kura's own and anybody's.
public struct SQLiteBackend: StorageBackend {
  /// Makes the backend.
  public init() {}

  /// SQLite.
  public var format: StoreFormat { .sqlite }

  /// Whether the bytes begin with SQLite's magic text of 16 bytes, as far as the file goes.
  public func recognises(_ header: FileHeader) -> Bool {
    header.has("SQLite format 3\0".utf8) && header.fileSize >= 100
  }

  /// Opens a file, or makes a store in memory.
  public func open(_ location: StoreLocation, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine
  {
    try SQLiteEngine.open(location, options)
  }
}

extension SQLiteBackend {
  /// The version of the SQLite library in use, such as `3.40.1`.
  public static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }
}
