#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The POSIX locks that processes hold on a file, without opening it.
///
/// Linux lists all of them in `/proc/locks`; elsewhere there is no such list.
package enum FileLocks {
  /// One lock.
  package struct Lock: Sendable, Hashable {
    /// The process that holds it.
    package var process: Int32
    /// Whether nobody else may hold one on the same bytes.
    package var isExclusive: Bool
    /// The locked bytes.
    package var range: ClosedRange<Int64>

    /// Makes a description of a lock.
    package init(process: Int32, isExclusive: Bool, range: ClosedRange<Int64>) {
      self.process = process
      self.isExclusive = isExclusive
      self.range = range
    }
  }

  /// The locks on a file.
  package static func on(_ path: String) -> [Lock] {
    guard let status = FileStatus.at(path), let text = SystemFile.text("/proc/locks") else {
      return []
    }
    let minor = (status.id.device & 0xFF) | (status.id.device >> 12 & 0xFFFFFF00)
    let major = status.id.device >> 8 & 0xFFF
    func matches(_ place: Substring) -> Bool {
      let parts = place.split(separator: ":")
      guard parts.count == 3, UInt64(parts[2]) == status.id.inode else { return false }
      return UInt64(parts[0], radix: 16) == major && UInt64(parts[1], radix: 16) == minor
    }
    return text.split(separator: "\n").compactMap { line in
      // "12: POSIX  ADVISORY  WRITE 4711 08:01:131 1073741824 1073742335"
      let words = line.split(separator: " ").filter { $0 != "->" }
      guard words.count >= 8, words[1] == "POSIX", let process = Int32(words[4]),
        matches(words[5]), let first = Int64(words[6])
      else { return nil }
      let last = words[7] == "EOF" ? Int64.max : Int64(words[7]) ?? first
      guard first <= last else { return nil }
      return Lock(process: process, isExclusive: words[3] == "WRITE", range: first...last)
    }
  }
}

/// Files of the operating system that describe it.
package enum SystemFile {
  /// The text of a file, at most 16 MiB; `nil` when it cannot be opened.
  package static func text(_ path: String) -> String? {
    let descriptor = open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 16 << 20 {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
