import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a file or standard input line by line.
final class LineReader {
  /// The longest line: a value of 1 GiB as hexadecimal digits.
  private static let longestLine = (2 << 30) + (1 << 20)

  /// The name for messages.
  let name: String
  /// The number of the line that was read last, from 1.
  private(set) var number = 0
  /// The bytes read so far.
  private(set) var byteCount: Int64 = 0
  private let descriptor: Int32
  private let ownsDescriptor: Bool
  private var memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  private var kept: Range<Int>?

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws(StoreError) {
    ownsDescriptor = path != "-"
    name = ownsDescriptor ? FileName.shown(path) : "standard input"
    if ownsDescriptor {
      let file = open(FileName.bytes(of: path), O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw FileErrors.error(errno, path) }
      descriptor = file
    } else {
      descriptor = 0
    }
    memory = .allocate(byteCount: 1 << 18, alignment: 8)
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
    memory.deallocate()
  }

  /// The next line without its end, valid until the next call; `nil` at the end of the input.
  func next() throws(StoreError) -> UnsafeRawBufferPointer? {
    if let kept {
      self.kept = nil
      number += 1
      return UnsafeRawBufferPointer(rebasing: memory[kept])
    }
    var searched = start
    while true {
      if searched < end, let base = memory.baseAddress,
        let found = memchr(base + searched, 0x0A, end - searched)
      {
        let position = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        defer { start = position + 1 }
        return line(start..<position)
      }
      searched = end
      guard !isAtEnd else {
        guard start < end else { return nil }
        defer { start = end }
        return line(start..<end)
      }
      let moved = start
      try fill()
      searched -= moved - start
    }
  }

  /// Makes the line that was read last the next one again.
  func putBack(_ line: UnsafeRawBufferPointer) {
    guard let base = memory.baseAddress, let address = line.baseAddress else { return }
    let offset = address - UnsafeRawPointer(base)
    kept = offset..<(offset + line.count)
    number -= 1
  }

  private func line(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    number += 1
    var range = range
    // Lines of other systems end with a carriage return as well.
    if let last = range.last, memory[last] == 0x0D { range = range.lowerBound..<last }
    return UnsafeRawBufferPointer(rebasing: memory[range])
  }

  /// Reads more behind what is there, which moves to the front.
  private func fill() throws(StoreError) {
    try Interruption.check()
    if start > 0, let base = memory.baseAddress {
      memmove(base, base + start, end - start)
      end -= start
      start = 0
    }
    if end == memory.count {
      guard memory.count < LineReader.longestLine else {
        throw StoreError(
          .limitReached, "line \(number + 1) is longer than \(LineReader.longestLine) bytes",
          path: name)
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: min(LineReader.longestLine, memory.count * 2), alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
      memory.deallocate()
      memory = larger
    }
    while true {
      let count = readBytes(descriptor, memory.baseAddress.map { $0 + end }, memory.count - end)
      if count < 0, errno == EINTR {
        try Interruption.check()
        continue
      }
      guard count >= 0 else { throw FileErrors.error(errno, name) }
      isAtEnd = count == 0
      end += count
      byteCount += Int64(count)
      return
    }
  }
}

#if canImport(Glibc)
  private let readBytes = Glibc.read
#elseif canImport(Musl)
  private let readBytes = Musl.read
#else
  private let readBytes = Darwin.read
#endif
