import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that children of other tests must not inherit: a pipe with a forgotten end never ends.
enum OpenFiles {
  private static let gate = Monitor(())

  /// Makes files, or a child, while no other test does.
  static func alone<T>(_ body: () -> T) -> T { gate.withLock { _ in body() } }

  /// A pipe that children inherit only as one of their standard files.
  static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let result = alone {
      #if canImport(Glibc)
        let result = Glibc.pipe(&ends)
      #else
        let result = Darwin.pipe(&ends)
      #endif
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return result
    }
    guard result == 0 else { throw Failure(call: "pipe", number: errno) }
    return (ends[0], ends[1])
  }

  /// The next byte, or nothing when the other end is closed; waits for it.
  static func byte(from file: Int32) -> UInt8? {
    var byte: UInt8 = 0
    return read(file, &byte, 1) == 1 ? byte : nil
  }

  /// Closes files.
  static func close(_ files: Int32...) {
    for file in files {
      #if canImport(Glibc)
        _ = Glibc.close(file)
      #else
        _ = Darwin.close(file)
      #endif
    }
  }
}

/// A failed call of the system.
struct Failure: Error {
  var call: String
  var number: Int32
}
