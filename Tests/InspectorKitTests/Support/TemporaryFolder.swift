#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder of its own for one test, removed at its end.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/kura-inspect-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(call: "mkdtemp", number: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryFolder.remove(path) }

  private static func remove(_ path: String) {
    chmod(path, 0o755)
    for name in names(in: path) where unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
    rmdir(path)
  }

  /// Makes a folder in the folder and returns its path.
  func folder(_ name: String) throws -> String {
    guard mkdir(file(name), 0o755) == 0 else {
      throw Failure(call: "mkdir \(name)", number: errno)
    }
    return file(name)
  }

  /// The path of a name in the folder.
  func file(_ name: String) -> String { path + "/" + name }

  /// Copies a file of `Fixtures/`, under another name if one is given, and returns its path.
  @discardableResult
  func add(_ fixture: String, as name: String? = nil) throws -> String {
    let target = file(name ?? fixture)
    try write(Fixture.bytes(fixture), to: target)
    return target
  }

  /// Writes a file.
  func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else { throw Failure(call: "open \(path)", number: errno) }
    defer { close(descriptor) }
    guard writeAll(descriptor, bytes) == bytes.count else {
      throw Failure(call: "write \(path)", number: errno)
    }
  }

  /// The names in the folder, sorted.
  var names: [String] { TemporaryFolder.names(in: path) }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Everything about the folder that reading must not change: names, bytes, modes, times of
  /// change; the folder's own time as well.
  func state() throws -> [String: FileState] {
    var states = ["": try FileState(path, withBytes: false)]
    for name in names { states[name] = try FileState(file(name), withBytes: true) }
    return states
  }
}

/// What reading must not change about a file.
struct FileState: Equatable {
  var size: Int64
  var mode: UInt32
  var seconds: Int
  var nanoseconds: Int
  var bytes: [UInt8]

  init(_ path: String, withBytes: Bool) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Failure(call: "lstat \(path)", number: errno) }
    size = Int64(status.st_size)
    mode = UInt32(status.st_mode)
    #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
    #else
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    #endif
    bytes = withBytes ? try Fixture.bytes(at: path) : []
  }
}

/// The database files of the repository.
enum Fixture {
  /// The path of a fixture; tests only copy it.
  static func path(_ name: String) -> String {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/") + "/Fixtures/" + name
  }

  static func bytes(_ name: String) throws -> [UInt8] { try bytes(at: path(name)) }

  static func bytes(at path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw Failure(call: "open \(path)", number: errno) }
    defer { close(descriptor) }
    return ToolRun.content(of: descriptor)
  }
}

/// `write` without the name of a method in the way.
private func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
  write(descriptor, bytes, bytes.count)
}
