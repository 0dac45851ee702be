#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Temporary folders that only this user can look into.
package enum PrivateFolder {
  /// Makes a folder, in memory when the system has a memory file system and the caller wants that.
  package static func make(inMemory: Bool = true) throws(StoreError) -> String {
    var parents: [String] = []
    if inMemory, access("/dev/shm", W_OK) == 0 { parents.append("/dev/shm") }
    if let folder = getenv("TMPDIR"), folder.pointee != 0 {
      parents.append(String(cString: folder))
    }
    parents.append("/tmp")
    var reason: Int32 = 0
    for parent in parents {
      var template = Array((parent + "/kura-XXXXXX").utf8CString)
      if mkdtemp(&template) != nil {
        return template.withUnsafeBufferPointer { buffer in
          String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
      }
      reason = errno
    }
    throw FileErrors.creating(reason, parents[0])
  }

  /// Removes a folder of ``make(inMemory:)`` with its files.
  package static func remove(_ folder: String) {
    guard let directory = opendir(folder) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { unlink(folder + "/" + name) }
    }
    closedir(directory)
    rmdir(folder)
  }
}
