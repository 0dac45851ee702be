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
      parents.append(FileName.text(of: folder))
    }
    parents.append("/tmp")
    var reason: Int32 = 0
    for parent in parents {
      var template = FileName.bytes(of: parent + "/kura-XXXXXX")
      if mkdtemp(&template) != nil {
        return FileName.text(of: template.map { UInt8(bitPattern: $0) })
      }
      reason = errno
    }
    throw FileErrors.creating(reason, parents[0])
  }

  /// Removes a folder of ``make(inMemory:)`` with its files.
  package static func remove(_ folder: String) {
    guard let directory = opendir(FileName.bytes(of: folder)) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        FileName.text(of: bytes)
      }
      if name != ".", name != ".." { unlink(FileName.bytes(of: folder + "/" + name)) }
    }
    closedir(directory)
    rmdir(FileName.bytes(of: folder))
  }
}
