import KuraCore

extension MetaPages {
  /// Why a file without a meta page that can be used is not read: names what it is.
  static func refusal(_ file: PageFile) throws(StoreError) -> StoreError {
    let header = FileHeader(bytes: try file.bytes(at: 0, count: 4096), fileSize: file.size)
    if let foreign = relative(header) { return foreign.at(file.path) }
    if file.size == 0 {
      return StoreError(
        .empty, "the file is empty, not an LMDB file yet", path: file.path,
        suggestion: "look for a backup or an intact copy")
    }
    let little: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
    if header.has(little, at: 16) {
      return file.size < MetaPage.byteCount
        ? StoreError(
          .truncated, "the file is the beginning of an LMDB file, cut off", path: file.path,
          found: "\(file.size) bytes", expected: "at least two pages",
          suggestion: "look for a backup or an intact copy")
        : StoreError(
          .damaged, "both meta pages of the LMDB file are damaged", path: file.path,
          suggestion: "restore a backup")
    }
    return StoreError(
      .unknownFormat, "the file is not an LMDB file", path: file.path,
      suggestion: "name an LMDB data file, such as data.mdb")
  }

  /// The error for a file of LMDB's family in a form that is not read here; `nil` for others.
  ///
  /// The magic number stands behind the page header, whose size depends on the writer: 12 bytes for
  /// 32 bits, 16 for 64 bits, and since data version 2 (LMDB 1.0) 16 and 24 (`mdb.c`, MDB_page).
  static func relative(_ header: FileHeader) -> StoreError? {
    let little: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
    let big: [UInt8] = [0xBE, 0xEF, 0xC0, 0xDE]
    if header.has(little) || header.has(big) {
      return StoreError(
        .unsupportedFormat, "the file is the lock file of an LMDB environment",
        suggestion: "name data.mdb beside it")
    }
    // libmdbx: 56 bits of magic above a byte of version, behind a page header of 20 bytes.
    if [16, 20, 24].contains(where: {
      header.has([0x11, 0x4C, 0xEF, 0xBD, 0x9D, 0x65, 0x59], at: $0 + 1)
    }) {
      return StoreError(
        .unsupportedFormat, "the file is a libmdbx database, which is not LMDB",
        suggestion: "dump it with mdbx_dump and load that")
    }
    for offset in [12, 16, 24] {
      let isBig = header.has(big, at: offset)
      guard isBig || header.has(little, at: offset), header.bytes.count >= offset + 8 else {
        continue
      }
      let field = header.bytes[(offset + 4)..<(offset + 8)]
      let version = (isBig ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
      let bits = offset == 12 || offset == 16 && version == 2 ? 32 : 64
      let order = isBig ? "big" : "little"
      if version > 1 {
        let line = version == 2 ? " (LMDB 1.0)" : version == 999 ? " (a development version)" : ""
        return StoreError(
          .newerFormat, "the LMDB file has data version \(version)\(line), which is not read here",
          found: "\(bits)-bit, \(order)-endian, data version \(version)",
          expected: "data version 1",
          suggestion: "dump it with the mdb_dump of that version and load it with LMDB 0.9")
      }
      guard version == 1, bits == 32 || isBig else { return nil }
      return StoreError(
        .unsupportedFormat, "the LMDB file was written on a \(bits)-bit, \(order)-endian machine",
        found: "\(bits)-bit, \(order)-endian", expected: "64-bit, little-endian",
        suggestion: "dump it with mdb_dump on such a machine and load it with mdb_load")
    }
    return nil
  }
}
