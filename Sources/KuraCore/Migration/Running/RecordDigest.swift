/// The number of records, and for some columns the number of nulls and a hash that does not depend on
/// the order of the records.
///
/// Two models whose digests are equal have, but for a chance of about 2^-64 a column, the same values
/// under the same keys. It is a proof against faults, not against somebody who wants to deceive.
struct RecordDigest: Sendable, Hashable {
  /// One column.
  struct Column: Sendable, Hashable {
    var nulls: Int64 = 0
    var sum: UInt64 = 0
  }

  private(set) var records: Int64 = 0
  private(set) var columns: [Column]

  /// Makes a digest of no records.
  init(columns count: Int) { columns = Array(repeating: Column(), count: count) }

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - keys: The columns of the key, whose values bind those of the others to their record; none
  ///     when the key may change.
  ///   - chosen: The columns of the digest.
  mutating func add(_ row: RowBuffer, keys: [Int], chosen: [Int]) {
    records &+= 1
    var key: UInt64 = 0x9E37_79B9_7F4A_7C15
    for column in keys { key = RecordDigest.mixed(key, RecordDigest.hash(row[column])) }
    for (place, column) in chosen.enumerated() where place < columns.count {
      let slot = row[column]
      if slot.kind == .null { columns[place].nulls &+= 1 }
      columns[place].sum &+= RecordDigest.mixed(key, RecordDigest.hash(slot))
    }
  }

  @inline(__always)
  private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(
      by: right ^ 0xE703_7ED1_A0B4_28DB)
    return product.high ^ product.low
  }

  private static func hash(_ slot: ColumnSlot) -> UInt64 {
    let kind = UInt64(slot.kind.rawValue)
    guard slot.kind.isBorrowed else { return mixed(mixed(kind, slot.word0), slot.word1) }
    let bytes = slot.bytes
    var hash = mixed(kind, UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = mixed(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mixed(hash, rest)
  }
}
