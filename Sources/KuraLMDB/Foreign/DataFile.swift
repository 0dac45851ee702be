import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file of an environment that holds its data.
package enum DataFile {
  /// The name of the data file in the folder of an environment (`lmdb.h`, mdb_env_open).
  private static let name = "data.mdb"

  /// The data file of a path: of a folder the one in it, when there is one, else the path itself.
  package static func path(of path: String) -> String {
    var status = stat()
    guard unsafe stat(FileName.bytes(of: path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR
    else { return path }
    let file = path.hasSuffix("/") ? path + name : path + "/" + name
    return unsafe access(FileName.bytes(of: file), F_OK) == 0 ? file : path
  }

  /// Where liblmdb keeps the table of readers: beside a single file, or in the folder of `data.mdb`.
  ///
  /// A file's name does not say how its writer opened it, so both may be there.
  static func lockFiles(of dataFile: String) -> [String] {
    let single = dataFile + "-lock"
    guard dataFile == name || dataFile.hasSuffix("/" + name) else { return [single] }
    return [String(dataFile.dropLast(name.utf8.count)) + "lock.mdb", single]
  }
}
