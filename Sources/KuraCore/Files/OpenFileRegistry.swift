import Synchronization

#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#elseif canImport(Darwin)
  package import Darwin
#endif

/// The database files that this process has open, by device and inode.
///
/// POSIX drops all locks of a process on a file when the process closes any descriptor of it, so a
/// second open and close, even to read the first bytes, would let other processes write into a
/// running transaction (sqlite.org/howtocorrupt.html, section 2.2). Whoever reads a file that may
/// be a database asks here first.
package final class OpenFileRegistry: Sendable {
  /// The one registry of the process.
  package static let shared = OpenFileRegistry()

  /// The identity of a file, whatever its names.
  package struct FileID: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// A promise to keep a file registered until it is released.
  package final class Token: Sendable {
    package let file: FileID
    /// Whether registering created the file.
    package let isNew: Bool
    /// Whether the owner's connections take locks; changed under the registry's lock.
    fileprivate let holdsLocks: Atomic<Bool>

    fileprivate init(file: FileID, isNew: Bool, holdsLocks: Bool) {
      self.file = file
      self.isNew = isNew
      self.holdsLocks = Atomic(holdsLocks)
    }
  }

  private struct Entry {
    var format: StoreFormat
    /// The registrations.
    var count = 0
    /// Those among them whose connections take locks.
    var lockingCount = 0
    /// Descriptors that may be closed only when nobody here holds a lock any more.
    var closings: [() -> Void] = []
    var process = getpid()
  }

  private let entries = Monitor<[FileID: Entry]>([:])

  /// Registers a file that is about to be opened; creates it empty when it is missing and may be.
  ///
  /// - Parameter holdsLocks: Whether the connections to come take locks on the file.
  package func register(
    _ path: String, format: StoreFormat, create: Bool, holdsLocks: Bool = true
  ) throws(StoreError) -> Token {
    try entries.withLock { entries throws(StoreError) -> Token in
      var status = stat()
      var isNew = false
      if stat(FileName.bytes(of: path), &status) != 0 {
        guard errno == ENOENT, create else { throw FileErrors.error(errno, path) }
        let descriptor = open(
          FileName.bytes(of: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor >= 0 {
          // Nobody else in this process can have the new file open: closing drops no lock.
          close(descriptor)
          isNew = true
        } else if errno != EEXIST {
          throw FileErrors.creating(errno, path)
        }
        // Another process may have made the file in between; it is as good.
        guard stat(FileName.bytes(of: path), &status) == 0 else {
          throw FileErrors.error(errno, path)
        }
      }
      let id = FileID(status)
      var entry = entries[id] ?? Entry(format: format)
      guard entry.process == getpid() else {
        // The C library's own table of open files and locks was copied as well, but not the locks.
        throw StoreError(
          .usedAfterFork, "the file was open when this process was forked", path: path,
          suggestion: "open stores after forking, or execute another program")
      }
      entry.count += 1
      if holdsLocks { entry.lockingCount += 1 }
      entries[id] = entry
      return Token(file: id, isNew: isNew, holdsLocks: holdsLocks)
    }
  }

  /// Says that the owner's connections take locks from now on.
  package func takeLocks(_ token: Token) {
    entries.withLock { entries in
      guard !token.holdsLocks.exchange(true, ordering: .relaxed) else { return }
      entries[token.file]?.lockingCount += 1
    }
  }

  /// Says that the owner has no connection that takes locks any more, and opens none.
  package func giveLocksBack(_ token: Token) {
    entries.withLock { entries in
      guard token.holdsLocks.exchange(false, ordering: .relaxed),
        var entry = entries[token.file]
      else { return }
      entry.lockingCount -= 1
      if entry.lockingCount <= 0 {
        entry.closings.forEach { $0() }
        entry.closings = []
      }
      entries[token.file] = entry
    }
  }

  /// Whether this process has the file open with locks.
  package func holdsLocks(_ file: FileID) -> Bool {
    entries.withLock { ($0[file]?.lockingCount ?? 0) > 0 }
  }

  /// Closes what a reader without locks has open: now, or when nobody in this process holds a lock on
  /// the file, because closing any descriptor would drop them all.
  package func whenUnlocked(_ token: Token, close body: @escaping () -> Void) {
    entries.withLock { entries in
      if (entries[token.file]?.lockingCount ?? 0) > 0 {
        entries[token.file]?.closings.append(body)
      } else {
        // Under the lock, so that nobody takes a lock on the file meanwhile.
        body()
      }
    }
  }

  /// Forgets one registration; its connections are closed already.
  package func release(_ token: Token) {
    entries.withLock { entries in
      guard var entry = entries[token.file] else { return }
      entry.count -= 1
      if token.holdsLocks.load(ordering: .relaxed) { entry.lockingCount -= 1 }
      if entry.lockingCount <= 0 {
        entry.closings.forEach { $0() }
        entry.closings = []
      }
      entries[token.file] = entry.count > 0 ? entry : nil
    }
  }

  /// The format of a file that this process has open, else what a body says that may open and close
  /// it; nobody in this process begins to open it meanwhile.
  package func format(
    of status: stat, else body: () throws(StoreError) -> StoreFormat?
  ) throws(StoreError) -> StoreFormat? {
    try entries.withLock { entries throws(StoreError) -> StoreFormat? in
      if let entry = entries[FileID(status)] { return entry.format }
      return try body()
    }
  }

  /// Runs a body that may open and close a file, unless this process holds locks on it.
  package func whileUnlocked<R>(_ status: stat, _ body: () -> R) -> R? {
    entries.withLock { entries in
      (entries[FileID(status)]?.lockingCount ?? 0) > 0 ? nil : body()
    }
  }
}
