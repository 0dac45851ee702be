import KuraCore

extension SQLiteErrors {
  /// The longest absolute path in bytes: `MAX_PATHNAME` of SQLite's os_unix.c, less the NUL.
  private static let longestPath = 511
  /// The longest of the endings that SQLite gives its side files.
  private static let longestEnding = "-journal"

  /// Whether SQLite opens no file of an absolute path, whatever it is.
  static func isBeyondLongestPath(_ absolute: String) -> Bool {
    FileName.bytes(of: absolute).count - 1 > longestPath
  }

  /// Whether SQLite cannot take a path for its length, with its side files or without; SQLite itself
  /// says only that it cannot open the file.
  static func tooLong(_ path: String) -> StoreError? {
    let absolute = FileName.bytes(of: SQLiteConnection.absolutePath(path)).dropLast()
    if absolute.count > longestPath {
      return StoreError(
        .nameTooLong, "the path from the root folder is longer than SQLite allows", path: path,
        found: "\(absolute.count) bytes", expected: "at most \(longestPath) bytes",
        suggestion: "move the file to a folder with a shorter path")
    }
    let slash = CChar(bitPattern: UInt8(ascii: "/"))
    let name = absolute.count - (absolute.lastIndex(of: slash) ?? -1) - 1
    let longestName = 255 - longestEnding.utf8.count
    guard name > longestName else { return nil }
    return StoreError(
      .nameTooLong, "the name is too long for the side files that SQLite makes", path: path,
      found: "\(name) bytes", expected: "at most \(longestName) bytes",
      suggestion: "use a shorter name")
  }
}
