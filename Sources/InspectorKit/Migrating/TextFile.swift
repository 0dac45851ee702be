import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Small files that are read whole, such as migrations.
enum TextFile {
  /// The most bytes; the JSON forms have the same limit.
  static let maximumByteCount = 16 << 20

  /// The content of a file as text.
  ///
  /// - Throws: ``StoreError/Code/missing``, ``StoreError/Code/tooLarge``,
  ///   ``StoreError/Code/invalidMigration`` for what is not UTF-8, and what reading throws.
  static func read(_ path: String) throws(StoreError) -> String {
    // Without O_NONBLOCK a pipe without a writer would be waited for.
    let descriptor = open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileErrors.error(errno, path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileErrors.error(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, path)
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try Interruption.check()
      let count = block.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileErrors.error(errno, path) }
      guard count > 0 else { break }
      bytes += block.prefix(count)
      guard bytes.count <= maximumByteCount else {
        throw StoreError(.tooLarge, "the file is larger than 16 MB", path: path)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StoreError(
        .invalidMigration, "the file is not UTF-8", path: path, suggestion: "save it as UTF-8")
    }
    return text
  }

  /// The first bytes of a file.
  static func beginning(of path: String) throws(StoreError) -> [UInt8] {
    let descriptor = open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileErrors.error(errno, path) }
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: 512)
    let count = block.withUnsafeMutableBytes { readBytes(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw FileErrors.error(errno, path) }
    return Array(block.prefix(count))
  }

  /// Makes a folder unless it is there.
  static func makeFolder(_ path: String) throws(StoreError) {
    guard mkdir(FileName.bytes(of: path), 0o755) == 0 || errno == EEXIST else {
      throw FileErrors.creating(errno, path)
    }
  }

  /// Makes a new file with a text.
  ///
  /// - Throws: ``StoreError/Code/targetExists`` and what writing throws; then there is no new file.
  static func create(_ path: String, _ text: String) throws(StoreError) {
    let descriptor = open(
      FileName.bytes(of: path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw FileErrors.creating(errno, path) }
      throw StoreError(
        .targetExists, "the file exists already", path: path, suggestion: "choose another name")
    }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = FileErrors.error(errno, path)
        close(descriptor)
        unlink(FileName.bytes(of: path))
        throw error
      }
      bytes = bytes.dropFirst(count)
    }
    close(descriptor)
  }

  /// The names in a folder, sorted by their bytes, without those that begin with a point.
  ///
  /// - Throws: What opening a folder throws.
  static func names(in folder: String) throws(StoreError) -> [String] {
    guard let directory = opendir(FileName.bytes(of: folder)) else {
      throw FileErrors.error(errno, folder)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { FileName.text(of: $0) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

#if canImport(Glibc)
  private let readBytes = Glibc.read
  private let writeBytes = Glibc.write
#elseif canImport(Musl)
  private let readBytes = Musl.read
  private let writeBytes = Musl.write
#else
  private let readBytes = Darwin.read
  private let writeBytes = Darwin.write
#endif
