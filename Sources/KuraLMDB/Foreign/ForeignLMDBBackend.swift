package import KuraCore

/// Reads the LMDB files of other programs, with the page reader and never with liblmdb.
package struct ForeignLMDBBackend: StorageBackend {
  /// Makes the backend.
  package init() {}

  /// LMDB.
  package var format: StoreFormat { .lmdb }

  /// Whether a file is LMDB's or that of a relative.
  ///
  /// Files of other word sizes, byte orders and versions are recognised as well, so that opening them
  /// says what they are.
  package func recognises(_ header: FileHeader) -> Bool {
    header.has([0xDE, 0xC0, 0xEF, 0xBE, 1, 0, 0, 0], at: 16) || MetaPages.relative(header) != nil
  }

  /// Opens a file for reading.
  ///
  /// - Throws: See ``ForeignEngine/init(_:_:)``; ``StoreError/Code/readOnly`` for access of another
  ///   kind.
  package func open(_ location: StoreLocation, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine
  {
    guard let path = location.path, options.access == .readOnly else {
      throw StoreError(
        .readOnly, "LMDB files of other programs are read and not changed", path: location.path,
        suggestion: "leave --write out, or load a dump into a new file")
    }
    return try ForeignEngine(path, options)
  }
}
