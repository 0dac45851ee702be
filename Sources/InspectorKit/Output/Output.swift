import KuraCore
import KuraSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where results and messages go: the process's own streams, a file, or memory in tests.
package final class Output {
  /// The code of the error that ends the tool quietly when nobody reads its output any more.
  static let pipeClosed = StoreError.Code(rawValue: "output.pipeClosed")

  private enum Target {
    /// An open file; its path when it is a file of our own.
    case descriptor(Int32, file: String?)
    case file(String, replacing: Bool)
    case pager(String)
    case running(Pager)
    case memory
  }

  private var target: Target
  private let sendsMessages: Bool
  /// What was written, when the target is memory.
  package private(set) var bytes: [UInt8] = []
  /// The messages, when the target is memory.
  package private(set) var messages: [String] = []

  /// The process's standard output and error.
  package static func process() -> Output { Output(.descriptor(1, file: nil), true) }

  /// Memory.
  package static func memory() -> Output { Output(.memory, false) }

  private init(_ target: Target, _ sendsMessages: Bool) {
    self.target = target
    self.sendsMessages = sendsMessages
  }

  /// Whether messages go to the process's standard error.
  var isProcess: Bool { sendsMessages }

  /// Sends results into a file instead, which is made when the first of them comes.
  ///
  /// - Throws: ``StoreError/Code/targetExists`` when it exists and may not be replaced, and when it
  ///   is a part of the database that is read.
  func redirect(to path: String, replacing: Bool, reading database: String)
    throws(StoreError)
  {
    guard !Output.isPart(path, of: database) else {
      throw StoreError(
        .targetExists, "the output file belongs to the database that is read", path: path,
        suggestion: "name another file")
    }
    var status = stat()
    if stat(FileName.bytes(of: path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw FileErrors.error(EISDIR, path)
    }
    guard replacing || access(FileName.bytes(of: path), F_OK) != 0 else {
      throw Output.exists(path)
    }
    target = .file(path, replacing: replacing)
  }

  /// Sends results through a pager, which is started when the first of them comes.
  func page(with command: String) { target = .pager(command) }

  /// Whether a person reads results in a pager.
  private(set) var isPaged = false

  private static func exists(_ path: String) -> StoreError {
    StoreError(
      .targetExists, "the output file exists already", path: path,
      suggestion: "name another file, or allow replacing it with --yes")
  }

  /// Whether a path leads to a database or to one of its side files, there or still to come, by
  /// whatever name or link.
  static func isPart(_ path: String, of database: String) -> Bool {
    var status = stat()
    let exists = stat(FileName.bytes(of: path), &status) == 0
    let name = FileName.resolved(database) ?? database
    // In the folder of an LMDB environment everything but its two files is anybody's.
    for part in ["", "-wal", "-journal", "-shm", "-lock", "/data.mdb", "/lock.mdb"] {
      if path == database + part || path == name + part { return true }
      var other = stat()
      if exists, stat(FileName.bytes(of: name + part), &other) == 0, other.st_dev == status.st_dev,
        other.st_ino == status.st_ino
      {
        return true
      }
    }
    return false
  }

  /// Takes bytes of the result.
  func write(_ part: UnsafeRawBufferPointer) throws(StoreError) {
    try Interruption.check()
    switch target {
    case .memory: bytes += part
    case .descriptor(let descriptor, let file):
      try Output.write(part, to: descriptor, file)
    case .running(let pager): try Output.write(part, to: pager.fileDescriptor)
    case .file(let path, let replacing):
      let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replacing ? O_TRUNC : O_EXCL)
      let descriptor = open(FileName.bytes(of: path), flags, 0o644)
      guard descriptor >= 0 else {
        throw errno == EEXIST ? Output.exists(path) : FileErrors.creating(errno, path)
      }
      target = .descriptor(descriptor, file: path)
      try write(part)
    case .pager(let command):
      if let pager = Pager.start(command) {
        isPaged = true
        target = .running(pager)
      } else {
        target = .descriptor(1, file: nil)
      }
      try write(part)
    }
  }

  private static func write(
    _ part: UnsafeRawBufferPointer, to descriptor: Int32, _ file: String? = nil
  ) throws(StoreError) {
    var offset = 0
    while offset < part.count {
      #if canImport(Glibc)
        let count = Glibc.write(
          descriptor, part.baseAddress.map { $0 + offset }, part.count - offset)
      #elseif canImport(Musl)
        let count = Musl.write(
          descriptor, part.baseAddress.map { $0 + offset }, part.count - offset)
      #else
        let count = Darwin.write(
          descriptor, part.baseAddress.map { $0 + offset }, part.count - offset)
      #endif
      if count > 0 {
        offset += count
      } else if errno == EPIPE {
        throw StoreError(pipeClosed, "nobody reads the output any more")
      } else if errno == EINTR {
        try Interruption.check()
      } else {
        throw failure(errno, file)
      }
    }
  }

  /// The error of writing, with the name of where it went.
  private static func failure(_ code: Int32, _ file: String?) -> StoreError {
    guard let file else { return FileErrors.error(code, "standard output") }
    var error = FileErrors.error(code, file)
    error.suggestion =
      (error.suggestion.map { $0 + "; " } ?? "") + "the file has only a part of the output"
    error.outcome = .partlyWritten
    return error
  }

  /// Waits for the pager, if one runs; called however the command ends.
  func finish() {
    if case .running(let pager) = target {
      target = .descriptor(1, file: nil)
      pager.finish()
    }
  }

  /// Closes an output file, and makes it if there was no result.
  ///
  /// Errors that come late, such as a full disk, are thrown.
  func close() throws(StoreError) {
    if case .file = target { try write(UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard case .descriptor(let descriptor, let file?) = target else { return }
    target = .descriptor(1, file: nil)
    #if canImport(Glibc)
      let result = Glibc.close(descriptor)
    #elseif canImport(Musl)
      let result = Musl.close(descriptor)
    #else
      let result = Darwin.close(descriptor)
    #endif
    guard result == 0 else { throw Output.failure(errno, file) }
  }

  /// Waits, less long when a signal comes or the reader of the output goes away.
  ///
  /// - Throws: ``pipeClosed`` when nobody reads any more, which is otherwise seen with the next write
  ///   only.
  func wait(_ time: Duration) throws(StoreError) {
    var descriptor = pollfd(fd: -1, events: 0, revents: 0)
    if case .descriptor(let number, nil) = target { descriptor.fd = number }
    let milliseconds = Int32(clamping: time.milliseconds)
    guard poll(&descriptor, 1, milliseconds) > 0,
      descriptor.revents & Int16(POLLERR | POLLHUP) != 0
    else { return }
    throw StoreError(Output.pipeClosed, "nobody reads the output any more")
  }

  /// Writes a line to standard error.
  func message(_ text: String) {
    guard sendsMessages else { return messages.append(text) }
    Output.show(text + "\n")
  }

  /// Writes a text to the process's standard error as it is; what fails there is nobody's concern.
  static func show(_ text: String) {
    Array(text.utf8).withUnsafeBytes { try? Output.write($0, to: 2) }
  }
}
