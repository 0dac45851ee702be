#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Remembers the process that opened a file: no connection may be carried across a fork.
package struct ProcessIdentity: Sendable {
  private let identifier = getpid()

  /// Remembers the running process.
  package init() {}

  /// Throws in a process that was forked from the one that opened the file.
  package func check(_ path: String) throws(StoreError) {
    guard getpid() == identifier else {
      throw StoreError(
        .usedAfterFork, "the store was opened before this process was forked", path: path,
        suggestion: "open stores after forking, or execute another program")
    }
  }
}
