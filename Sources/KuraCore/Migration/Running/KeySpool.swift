#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keys of records in the order of their coming, in constant memory: when there are many, they go to a
/// temporary file that has no name, so that a killed process leaves nothing.
///
/// Belongs to one thread.
final class KeySpool {
  /// A record's model and key, the form of a line in the file.
  private struct Entry: Codable {
    var model: String
    var key: [StoredValue]
  }

  /// The bytes that are kept in memory before they are written.
  private static let limit = 1 << 16

  private var buffer: [UInt8] = []
  private var descriptor: Int32 = -1
  private(set) var count = 0

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds a key.
  ///
  /// - Throws: ``StoreError/Code/diskFull`` and what else writing a file throws.
  func append(_ model: String, _ key: RecordKey) throws(StoreError) {
    buffer.append(contentsOf: Schema.json(Entry(model: model, key: key.values)).utf8)
    buffer.append(UInt8(ascii: "\n"))
    count += 1
    if buffer.count >= KeySpool.limit { try spill() }
  }

  /// Calls a body for each key; no key may be added meanwhile.
  func forEach(_ body: (_ model: String, _ key: RecordKey) throws(StoreError) -> Void)
    throws(StoreError)
  {
    var rest: [UInt8] = []
    var offset: off_t = 0
    var chunk = [UInt8](repeating: 0, count: KeySpool.limit)
    while descriptor >= 0 {
      let read = pread(descriptor, &chunk, chunk.count, offset)
      guard read >= 0 else { throw FileErrors.error(errno, "a temporary file") }
      guard read > 0 else { break }
      offset += off_t(read)
      rest.append(contentsOf: chunk[..<read])
      rest = Array(try lines(of: rest[...], body))
    }
    rest.append(contentsOf: buffer)
    _ = try lines(of: rest[...], body)
  }

  /// Forgets all keys.
  func removeAll() {
    buffer.removeAll()
    count = 0
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Hands over the whole lines and returns what follows the last one.
  private func lines(
    of bytes: ArraySlice<UInt8>, _ body: (String, RecordKey) throws(StoreError) -> Void
  ) throws(StoreError) -> ArraySlice<UInt8> {
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(rest[..<end])),
        let key = RecordKey(entry.key)
      else { throw StoreError(.internalError, "a temporary file of keys cannot be read") }
      rest = rest[(end + 1)...]
      try body(entry.model, key)
    }
    return rest
  }

  private func spill() throws(StoreError) {
    if descriptor < 0 { descriptor = try KeySpool.makeFile() }
    var written = 0
    while written < buffer.count {
      let result = buffer.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      }
      guard result > 0 else { throw FileErrors.error(errno, "a temporary file") }
      written += result
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func makeFile() throws(StoreError) -> Int32 {
    let folder = getenv("TMPDIR").map { FileName.text(of: $0) } ?? "/tmp"
    var template = FileName.bytes(of: folder + "/kura-keys-XXXXXX")
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw FileErrors.error(errno, folder) }
    unlink(FileName.bytes(of: FileName.text(of: template)))
    return descriptor
  }
}
