#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Names files that no backend at hand opens, so that the user learns what they have.
enum ForeignFormats {
  /// The error for a file that no backend recognises.
  static func error(for header: FileHeader, _ path: String) -> StoreError {
    if let name = known(header) {
      return StoreError(
        .unsupportedFormat, "the file is \(name), which cannot be read here", path: path,
        suggestion: "use a tool for that format")
    }
    if header.has("SQLite format 3\0".utf8.prefix(header.bytes.count)), header.fileSize < 100 {
      return StoreError(
        .truncated, "the file is the beginning of an SQLite database, cut off", path: path,
        found: "\(header.fileSize) bytes", expected: "\(sizeOfSQLite(header)) bytes",
        suggestion: "look for a backup or an intact copy")
    }
    if isEncryptedRealm(header) {
      return StoreError(
        .encrypted, "the content looks like an encrypted Realm database", path: path,
        suggestion: "write a copy without encryption with Realm itself")
    }
    if looksRandom(header.bytes[...]), header.fileSize % 512 == 0 {
      return StoreError(
        .encrypted, "the content looks encrypted: no known header, evenly spread bytes",
        path: path, suggestion: "decrypt it with the tool that made it, such as SQLCipher")
    }
    if isText(header) {
      return StoreError(
        .unknownFormat, "the file is text and not a database", path: path,
        suggestion: "name a database file")
    }
    return StoreError(
      .unknownFormat, "the file is of no known database format", path: path,
      suggestion: "name an SQLite database")
  }

  /// How long a database was whose first bytes are left, as far as they say.
  private static func sizeOfSQLite(_ header: FileHeader) -> String {
    guard header.bytes.count >= 32 else { return "at least 512" }
    let stored = Int64(header.bytes[16]) << 8 | Int64(header.bytes[17])
    let pages = header.bytes[28..<32].reduce(0 as Int64) { $0 << 8 | Int64($1) }
    let size = stored == 1 ? 65_536 : stored
    guard size >= 512, size & (size - 1) == 0, pages > 0 else { return "at least 512" }
    return "\(size * pages)"
  }

  /// The error for an SQLite database in a form that this library's SQLite is too old for; `nil` for
  /// others.
  ///
  /// Byte 19 of the header is the version needed to read (fileformat2.html §1.3.3), bytes 44 to 47
  /// the schema format (§1.3.11).
  static func newerSQLite(_ header: FileHeader, _ path: String) -> StoreError? {
    guard header.has("SQLite format 3\0".utf8), header.bytes.count >= 100 else { return nil }
    let readVersion = header.bytes[19]
    let schemaFormat = header.bytes[44..<48].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    // A header of random bytes is damage, not progress.
    guard (3...9).contains(readVersion) || (5...9).contains(schemaFormat) else { return nil }
    return StoreError(
      .newerFormat, "the SQLite file is of a form that is newer than this program", path: path,
      found: "read version \(readVersion), schema format \(schemaFormat)",
      expected: "read version 1 or 2, schema format at most 4",
      suggestion: "use a newer SQLite")
  }

  /// The error for the shared memory of a database that this process has open.
  static func sharedMemory(_ path: String) -> StoreError {
    StoreError(
      .unsupportedFormat, "the file is the shared memory of an open SQLite database", path: path,
      suggestion: "name the database beside it")
  }

  /// The error for a folder.
  static func folder(_ path: String) -> StoreError {
    func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }
    if has("data.mdb") {
      return StoreError(
        .unsupportedFormat, "the folder is an LMDB environment, which this build cannot read",
        path: path, suggestion: "use mdb_dump of lmdb-utils")
    }
    if has("CURRENT"), has("LOCK") {
      return StoreError(
        .unsupportedFormat, "the folder is a LevelDB or RocksDB database", path: path,
        suggestion: "use a tool for that format")
    }
    return StoreError(.isFolder, "the path is a folder", path: path, suggestion: "name a file")
  }

  /// Formats by their magic bytes, each from its format's own documentation.
  private static func known(_ header: FileHeader) -> String? {
    if let lmdb = lmdb(header) { return lmdb }
    // libmdbx's 0x59659DBDEF4C11 above a byte of version, behind page headers of its versions.
    if [16, 20, 24].contains(where: {
      header.has([0x11, 0x4C, 0xEF, 0xBD, 0x9D, 0x65, 0x59], at: $0 + 1)
    }) {
      return "a libmdbx database"
    }
    if header.has("T-DB".utf8, at: 16) {
      let slot = header.bytes.count > 23 ? Int(header.bytes[23] & 1) : 0
      let version = header.bytes.count > 21 ? header.bytes[20 + slot] : 0
      return "a Realm database (file format \(version))"
    }
    if header.has([0x37, 0x7F, 0x06, 0x82]) || header.has([0x37, 0x7F, 0x06, 0x83]) {
      return "the write-ahead log of an SQLite database (name the database beside it)"
    }
    if header.has([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) {
      return "the rollback journal of an SQLite database (name the database beside it)"
    }
    if header.has("** This file contains an SQLite 2".utf8) { return "an SQLite 2 database" }
    if header.has([0xED, 0xDA, 0x0C, 0xED], at: 16) { return "a BoltDB database" }
    if header.has([0x18, 0xE2, 0x2D, 0x00]), header.fileSize % 32768 == 0 {
      return "the shared memory of an SQLite database (name the database beside it)"
    }
    let berkeley: [(UInt32, String)] = [
      (0x0006_1561, "hash"), (0x0005_3162, "B-tree"), (0x0004_2253, "queue"),
      (0x0007_4582, "heap"),
    ]
    for (magic, kind) in berkeley {
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: magic >> (8 * $0)) }
      if header.has(bytes, at: 12) || header.has(bytes.reversed(), at: 12) {
        return "a Berkeley DB \(kind) database"
      }
    }
    if header.has([0xEF, 0xCD, 0xAB, 0x89], at: 4) {
      return "an ESE database (Extensible Storage Engine)"
    }
    if header.has("Standard Jet DB".utf8, at: 4) || header.has("Standard ACE DB".utf8, at: 4) {
      return "a Microsoft Access database"
    }
    if header.has("DUCK".utf8, at: 8) { return "a DuckDB database" }
    if header.has([0x1F, 0x8B]) { return "gzip data (unpack it first)" }
    if header.has([0x28, 0xB5, 0x2F, 0xFD]) { return "Zstandard data (unpack it first)" }
    if header.has("PK\u{3}\u{4}".utf8) { return "a ZIP archive (unpack it first)" }
    if header.has([0x89, 0x50, 0x4E, 0x47]) { return "a PNG picture" }
    if header.has("%PDF-".utf8) { return "a PDF document" }
    if header.has("bplist00".utf8) { return "a binary property list" }
    if header.has([0x7F, 0x45, 0x4C, 0x46]) { return "a program (ELF)" }
    return nil
  }

  /// LMDB's magic number 0xBEEFC0DE and version, at the offset that the builder's word size gives.
  private static func lmdb(_ header: FileHeader) -> String? {
    let little: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
    let big: [UInt8] = [0xBE, 0xEF, 0xC0, 0xDE]
    if header.has(little) || header.has(big) {
      return "the lock file of an LMDB environment (name data.mdb beside it)"
    }
    for offset in [16, 12, 24] {
      let isBig = header.has(big, at: offset)
      guard isBig || header.has(little, at: offset), header.bytes.count >= offset + 8 else {
        continue
      }
      let version = header.bytes[offset + (isBig ? 7 : 4)]
      let bits = offset == 12 || (offset == 16 && version == 2) ? 32 : 64
      return "an LMDB environment (\(bits)-bit, \(isBig ? "big" : "little")-endian, data version "
        + "\(version))"
    }
    return nil
  }

  private static func isText(_ header: FileHeader) -> Bool {
    header.bytes.withUnsafeBytes { bytes in
      // A cut character at the end of what was read is no fault.
      (0..<4).contains {
        UTF8Validation.isValid(UnsafeRawBufferPointer(rebasing: bytes.dropLast($0)))
      }
    } && !header.bytes.contains { $0 < 0x09 || (0x0E..<0x20).contains($0) && $0 != 0x1B }
  }

  /// Whether the second page is as random as an encrypted one, while the first is a table of 64-byte
  /// entries: two initialisation counters with a hash each (realm-core, `encrypted_file_mapping`).
  private static func isEncryptedRealm(_ header: FileHeader) -> Bool {
    guard header.bytes.count == 8192, header.fileSize % 4096 == 0 else { return false }
    let first = header.bytes[..<4096]
    let used = (first.lastIndex { $0 != 0 } ?? 0) + 1
    let counters = [header.bytes[0..<4], header.bytes[32..<36]]
    return used <= 4032 && used > 32 && counters.allSatisfy { $0[$0.startIndex + 3] == 0 }
      && looksRandom(header.bytes[4096...])
  }

  /// Whether bytes are spread as evenly as random ones: chi-square against uniform, with bounds that
  /// random data of this size misses about once in a million files.
  private static func looksRandom(_ all: ArraySlice<UInt8>) -> Bool {
    let bytes = all.prefix(all.count / 512 * 512)
    guard bytes.count >= 1024 else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let expected = Double(bytes.count) / 256
    let chiSquare = counts.reduce(0.0) { sum, count in
      let difference = Double(count) - expected
      return sum + difference * difference / expected
    }
    return (150...375).contains(chiSquare)
  }
}
