import KuraCore
import KuraLMDB

/// Entries in the text form of LMDB's `mdb_dump`, which `mdb_load` reads.
///
/// Byte for byte what `mdb_dump -a` of LMDB 0.9.24 writes, with the values of the main database in a
/// part of their own before the named ones, which `mdb_dump -a` leaves out.
final class MDBTextWriter: EntryWriter {
  private let bytes: ByteWriter
  private let meta: MetaPage
  private let withData: Bool

  init(_ bytes: ByteWriter, _ meta: MetaPage, withData: Bool) {
    self.bytes = bytes
    self.meta = meta
    self.withData = withData
  }

  /// Whether a name can stand on a line of a header.
  static func canWrite(_ name: [UInt8]?) -> Bool {
    name.map { !$0.contains(0) && !$0.contains(0x0A) && !$0.isEmpty } ?? true
  }

  func begin(_ part: EntrySelection.Part) throws(StoreError) {
    let database = part.database
    try bytes.append("VERSION=3\nformat=bytevalue\n")
    if let name = database.rawName {
      try bytes.append("database=")
      try bytes.append(name)
      try bytes.append("\n")
    }
    try bytes.append("type=btree\nmapsize=\(mapSize)\n")
    if meta.mapAddress != 0 {
      try bytes.append("mapaddr=0x\(String(meta.mapAddress, radix: 16))\n")
    }
    // The usual number of LMDB; what the file's programs use is not in the file.
    try bytes.append("maxreaders=126\n")
    if database.flags.contains(.dupSort) { try bytes.append("duplicates=1\n") }
    for name in database.flags.names { try bytes.append(name + "=1\n") }
    try bytes.append("db_pagesize=\(meta.pageSize)\nHEADER=END\n")
  }

  /// At least the size of the file, whatever the meta page says, as liblmdb has it (ITS#7789).
  private var mapSize: UInt64 {
    let (size, overflow) = (meta.lastPage + 1).multipliedReportingOverflow(
      by: UInt64(meta.pageSize))
    return overflow ? meta.mapSize : max(meta.mapSize, size)
  }

  func write(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    guard withData else { return }
    try bytes.append(UInt8(ascii: " "))
    try bytes.appendHex(key)
    try bytes.append("\n ")
    try bytes.appendHex(value)
    try bytes.append(UInt8(ascii: "\n"))
  }

  func endDatabase() throws(StoreError) { try bytes.append("DATA=END\n") }

  func end() throws(StoreError) { try bytes.flush() }
}
