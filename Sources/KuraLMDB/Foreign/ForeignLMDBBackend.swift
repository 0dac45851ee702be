package import KuraCore

/// Reads LMDB files with the page reader and never with liblmdb: Kura's own as stores, those of other
/// programs as databases of entries.
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
  /// - Returns: A ``ForeignEngine`` for files of other programs.
  /// - Throws: ``StoreError/Code/unsupportedQuery`` for writing, before anything is opened or made;
  ///   see ``ForeignEngine/init(_:_:)`` and ``LMDBBackend/open(_:_:)``.
  package func open(_ location: StoreLocation, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine
  {
    guard options.access == .readOnly else {
      throw StoreError(
        .unsupportedQuery, "LMDB files have no SQL to change them with", path: location.path,
        suggestion: "load changed entries into a new file")
    }
    var options = options
    // Whoever trusts a file's views does not mean that a library may map it.
    options.isUntrusted = true
    return try LMDBBackend().open(location, options)
  }
}
