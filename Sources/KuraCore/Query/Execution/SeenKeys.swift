#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A set of byte strings in bounded memory.
final class SeenKeys {
  /// What adding found.
  enum Outcome {
    /// It was there.
    case seen
    /// It is there now.
    case added
    /// It is not there, and there is no room for it.
    case full
  }

  private struct Entry {
    var hash: Int
    var offset: Int
    var count: Int
  }

  private let memoryLimit: Int
  private var bytes: [UInt8] = []
  /// Open addressing; a count below zero is an empty place.
  private var table: [Entry]
  private var count = 0

  init(memoryLimit: Int) {
    self.memoryLimit = memoryLimit
    table = Array(repeating: Entry(hash: 0, offset: 0, count: -1), count: 64)
  }

  /// Adds a string.
  func add(_ key: UnsafeRawBufferPointer) -> Outcome {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    let hash = hasher.finalize()
    var place = hash & (table.count - 1)
    while table[place].count >= 0 {
      if table[place].hash == hash, isEqual(table[place], key) { return .seen }
      place = (place + 1) & (table.count - 1)
    }
    let needed = bytes.count + key.count + (table.count + 1) * MemoryLayout<Entry>.stride
    guard needed <= memoryLimit else { return .full }
    table[place] = Entry(hash: hash, offset: bytes.count, count: key.count)
    bytes.append(contentsOf: key)
    count += 1
    if count * 2 > table.count { grow() }
    return .added
  }

  private func isEqual(_ entry: Entry, _ key: UnsafeRawBufferPointer) -> Bool {
    guard entry.count == key.count else { return false }
    guard let other = key.baseAddress, key.count > 0 else { return true }
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return memcmp(base + entry.offset, other, key.count) == 0
    }
  }

  private func grow() {
    let old = table
    table = Array(repeating: Entry(hash: 0, offset: 0, count: -1), count: old.count * 2)
    for entry in old where entry.count >= 0 {
      var place = entry.hash & (table.count - 1)
      while table[place].count >= 0 { place = (place + 1) & (table.count - 1) }
      table[place] = entry
    }
  }
}
