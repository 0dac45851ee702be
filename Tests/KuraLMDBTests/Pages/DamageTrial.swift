import CLMDB
import KuraCore
import KuraLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One environment, damaged again and again, and everything that reads it.
struct DamageTrial {
  let environment: StockEnvironment
  let original: [UInt8]
  let pageSize: Int
  let content: SnapshotContent
  /// Whether a byte of the file is part of a key or value, as liblmdb's own pointers say.
  ///
  /// LMDB has no
  /// checksums: a change there is another value and no damage.
  private let isPayload: [Bool]

  init(seed: UInt64, most: Int) throws {
    environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed, most: most)
    try random.fill(environment)
    let snapshot = try PageSnapshot(environment.path)
    pageSize = snapshot.meta.pageSize
    content = try SnapshotContent(snapshot)
    original = try DamageTrial.read(environment.path)
    isPayload = try DamageTrial.payload(environment, snapshot, original.count)
  }

  /// Where liblmdb finds keys and values; a pointer less the map's beginning is an offset.
  private static func payload(
    _ environment: StockEnvironment, _ snapshot: PageSnapshot, _ size: Int
  ) throws -> [Bool] {
    var marks = [Bool](repeating: false, count: size)
    let names = try MainDatabase(snapshot).databases.map {
      String(decoding: $0.name ?? [], as: UTF8.self)
    }
    try environment.read { reader in
      let map = try environment.mapAddress()
      func mark(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let offset = base - map
        guard offset >= 8, offset <= size - bytes.count else { return }
        for byte in offset..<(offset + bytes.count) { marks[byte] = true }
        // Nodes are rounded up to even sizes: whether the last byte is content or padding, only the
        // lowest bit of a size says, that of the data eight and that of the key two bytes before.
        marks[offset - 8] = true
        marks[offset - 2] = true
      }
      for name in names {
        try reader.forEach(try reader.open(name)) { key, value in
          mark(key)
          mark(value)
        }
      }
      try reader.forEach(try reader.open(nil)) { key, value in
        // The record of a named database is structure; its name is content.
        mark(key)
        if value.count != 48 { mark(value) }
      }
    }
    return marks
  }

  /// Reads a damaged variant in every way.
  ///
  /// - Returns: What is wrong, `nil` when damage is named or does not matter.
  func fault(_ damaged: DamagedFile) -> String? {
    let path = environment.folder + "/other.mdb"
    guard (try? DamageTrial.write(damaged.bytes, path)) != nil else { return "not written" }
    let strict = Result { () throws(StoreError) in try SnapshotContent(PageSnapshot(path)) }
    let report = Result { () throws(StoreError) in
      try PageCheck(PageFile(path), depth: .deep).run()
    }
    // What is left must come without an error, whatever it is, unless no meta page is left.
    if case .success = report {
      do throws(StoreError) {
        let salvage = try PageSnapshot(path, handling: .salvage)
        _ = try SnapshotContent(salvage)
        try walkBackwards(salvage)
        _ = try PageStatistics(PageSnapshot(path, handling: .salvage))
      } catch {
        return "salvage throws: \(error)"
      }
    }
    if case .success(let report) = report, report.isClean {
      guard case .success(let content) = strict else {
        return "clean, and reading throws \(strict)"
      }
      if content != self.content, content != contentOfPayload(damaged) {
        return "clean, and the content is another"
      }
    }
    // Comparing two states walks two trees at once.
    _ = Result { () throws(StoreError) in
      let old = try PageSnapshot(path, .previous)
      let difference = try SnapshotDifference(from: old, to: PageSnapshot(path))
      for pair in try difference.databases() {
        try difference.changes(from: pair.old, to: pair.new) { _ throws(StoreError) in }
      }
    }
    return nil
  }

  private func walkBackwards(_ snapshot: PageSnapshot) throws(StoreError) {
    for tree in [snapshot.main] + (try MainDatabase(snapshot).databases) {
      let cursor = snapshot.cursor(tree)
      do throws(StoreError) {
        var isThere = try cursor.last()
        while isThere { isThere = try cursor.previous() }
      } catch {
        // Backwards nobody remembers which pages were there; a circle ends with an error.
        guard error.code == .damaged else { throw error }
      }
      let key: [UInt8] = [0x6B, 0x65, 0x79]
      _ = Result { () throws(StoreError) in
        try key.withUnsafeBufferPointer { key throws(StoreError) in
          try cursor.seek(UnsafeRawBufferPointer(key))
        }
      }
    }
  }

  /// The content when only the damaged bytes of keys and values are taken over.
  private func contentOfPayload(_ damaged: DamagedFile) -> SnapshotContent? {
    guard damaged.bytes.count == original.count else { return nil }
    let path = environment.folder + "/copy.mdb"
    let bytes = original.indices.map { isPayload[$0] ? damaged.bytes[$0] : original[$0] }
    guard (try? DamageTrial.write(bytes, path)) != nil else { return nil }
    return try? SnapshotContent(PageSnapshot(path))
  }

  static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw StockEnvironment.Failure(call: "fopen", code: errno)
    }
    defer { fclose(file) }
    var status = stat()
    fstat(fileno(file), &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    guard fread(&bytes, 1, bytes.count, file) == bytes.count else {
      throw StockEnvironment.Failure(call: "fread", code: errno)
    }
    return bytes
  }

  static func remove(_ path: String) throws {
    guard unlink(path) == 0 else { throw StockEnvironment.Failure(call: "unlink", code: errno) }
  }

  static func write(_ bytes: [UInt8], _ path: String) throws {
    guard let file = fopen(path, "w") else {
      throw StockEnvironment.Failure(call: "fopen", code: errno)
    }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw StockEnvironment.Failure(call: "fwrite", code: errno)
    }
  }
}
