#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Finds out what a path is, without changing it and without dropping this process's locks.
package enum FormatRecognition {
  /// What is at a path.
  package enum Finding: Sendable {
    /// A file of a backend's format.
    case format(StoreFormat)
    /// A file without bytes.
    case empty
    /// Nothing.
    case missing
  }

  /// Looks at a path.
  ///
  /// - Throws: ``StoreError`` when something is there that no backend can open: the code and the
  ///   sentence say what it is.
  package static func look(at path: String, backends: [any StorageBackend]) throws(StoreError)
    -> Finding
  {
    guard !path.isEmpty else {
      throw StoreError(.missing, "the path is empty", path: path, suggestion: "name a file")
    }
    guard !path.utf8.contains(0) else {
      throw StoreError(.missing, "a path cannot contain a NUL character", path: path)
    }
    var status = stat()
    guard stat(FileName.bytes(of: path), &status) == 0 else {
      if errno == ENOENT { return .missing }
      throw FileErrors.error(errno, path)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR:
      if access(FileName.bytes(of: "\(path)/data.mdb"), F_OK) == 0 {
        // Its content says which LMDB it is; whatever it is, a folder is not opened by this build.
        _ = try look(at: "\(path)/data.mdb", backends: [])
      }
      throw ForeignFormats.folder(path)
    default:
      throw StoreError(
        .notAFile, "the path is a device, pipe or socket", path: path, suggestion: "name a file")
    }
    if status.st_size == 0 { return .empty }
    if try isSharedMemory(path) { throw ForeignFormats.sharedMemory(path) }
    let found = try OpenFileRegistry.shared.format(of: status) { () throws(StoreError) in
      let header = try read(path, size: Int64(status.st_size))
      if let error = ForeignFormats.newerSQLite(header, path) { throw error }
      if let backend = backends.first(where: { $0.recognises(header) }) { return backend.format }
      throw ForeignFormats.error(for: header, path)
    }
    guard let found else { return .empty }
    return .format(found)
  }

  /// Whether a path is the `-shm` file of a database that this process has open, whose locks closing
  /// a descriptor would drop just as those of the database.
  private static func isSharedMemory(_ path: String) throws(StoreError) -> Bool {
    guard path.hasSuffix("-shm") else { return false }
    var status = stat()
    guard stat(FileName.bytes(of: String(path.dropLast(4))), &status) == 0 else { return false }
    return OpenFileRegistry.shared.whileUnlocked(status) { true } == nil
  }

  private static func read(_ path: String, size: Int64) throws(StoreError) -> FileHeader {
    let descriptor = open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: FileHeader.maximumByteCount)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw FileErrors.error(errno, path) }
    return FileHeader(bytes: Array(bytes.prefix(count)), fileSize: size)
  }
}
