import KuraCore

/// Names and numbers of the file format: docs/file-formats.md, "LMDB, format 1".
enum LMDBFormat {
  /// The version of the format that this code reads and writes.
  static let version = 1
  /// The named database of metadata and catalogue.
  static let metadataDatabase = "kura"
  /// The offset in an index entry's value that says that the record's key follows.
  static let cutEntryMark: UInt16 = 0xFFFF

  /// The named database of a model's records.
  static func recordDatabase(_ model: UInt32) -> String { "m\(model)" }

  /// The named database of an index's entries.
  static func indexDatabase(_ index: UInt32) -> String { "i\(index)" }

  /// The keys of the metadata database.
  enum MetadataKey {
    /// The version of the format, as decimal text.
    static let format = Array("format".utf8)
    /// The canonical JSON of the schema in use.
    static let schema = Array("schema".utf8)
    /// The counters of the catalogue.
    static let next = Array("next".utf8)

    /// A value of the metadata by its name.
    static func value(_ name: String) -> [UInt8] {
      let key = OrderedKey()
      for byte in "meta:".utf8 { key.append(byte) }
      for byte in name.utf8 { key.append(byte) }
      _ = key.cutIfTooLong()
      return unsafe Array(key.bytes)
    }

    /// The JSON of one version of the schema.
    static func schema(version: Int) -> [UInt8] {
      Array("schema:".utf8) + bytes(UInt64(truncatingIfNeeded: version))
    }

    /// What the keys of all models' catalogue entries begin with.
    static let models = Array("model:".utf8)

    /// A model's catalogue entry.
    static func model(_ id: UInt32) -> [UInt8] { models + bytes(id) }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
    }
  }
}

extension OrderedKey {
  /// Cuts a key that is longer than a database takes: its first 479 bytes stay, the SHA-256 of the
  /// whole follows.
  ///
  /// - Returns: Whether it had to be cut.
  func cutIfTooLong() -> Bool {
    guard count > OrderedKey.longestKey else { return false }
    var hash = SHA256()
    unsafe hash.update(bytes)
    let digest = hash.finish()
    truncate(to: OrderedKey.keptOfCutKey)
    unsafe digest.withUnsafeBytes { unsafe append($0) }
    return true
  }
}
