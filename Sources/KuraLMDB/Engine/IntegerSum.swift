import KuraCore

/// The sum of a column of integers over all records of a model, read where it stands in their bytes.
///
/// Records of the model's current shape are read here, by a loop that calls nothing but liblmdb; a
/// record that is unusual in any way is left to ``RecordReader``.
struct IntegerSum {
  /// How many records are added between two looks at the limits.
  private static let interval = 4096

  private let source: ModelSource<EnvironmentSnapshot>
  private let column: Int
  /// The first byte of the records that are read here.
  private let header: UInt8
  /// The position of the column among the stored properties, and their number.
  private let place: Int
  private let storedCount: Int

  /// - Returns: `nil` for a column that is part of the key, and for very old models.
  init?(_ source: ModelSource<EnvironmentSnapshot>, _ column: Int) {
    let binding = source.binding
    let shape = binding.model.currentShape
    guard binding.shapeNumber < 64,
      let place = shape.firstIndex(where: { binding.column($0) == column })
    else { return nil }
    self.source = source
    self.column = column
    self.place = place
    header = UInt8(binding.shapeNumber << 1)
    storedCount = shape.count
  }

  /// Adds the values that are not null.
  func run() throws(StoreError) -> (sum: Int128, count: Int64) {
    let cursor = try source.snapshot.cursor(source.records)
    defer { cursor.close() }
    let reader = RecordReader(source.binding, columns: [column])
    let row = RowBuffer(columns: column + 1)
    var (sum, count): (Int128, Int64) = (0, 0)
    var untilCheck = 1
    while try cursor.next() {
      untilCheck &-= 1
      if untilCheck <= 0 {
        untilCheck = IntegerSum.interval
        try source.limits?.check()
      }
      var value: Int64 = 0
      switch unsafe read(cursor.value, into: &value) {
      case .value:
        sum &+= Int128(value)
        count &+= 1
      case .null: break
      case .unusual:
        unsafe try reader.readWhole(key: cursor.key, value: cursor.value, into: row)
        guard row[column].kind == .integer else { continue }
        sum &+= Int128(row[column].integer)
        count &+= 1
      }
    }
    return (sum, count)
  }

  private enum Found { case value, null, unusual }

  @inline(__always)
  private func read(_ record: UnsafeRawBufferPointer, into value: inout Int64) -> Found {
    guard let base = record.baseAddress, record.count > storedCount,
      unsafe base.load(as: UInt8.self) == header
    else { return .unusual }
    let entries = unsafe base + 1
    var end = storedCount &+ 1
    for index in 0..<place {
      let length = unsafe Int(entries.load(fromByteOffset: index, as: UInt8.self))
      if length > 0xFB {
        guard length == 0xFF else { return .unusual }
        continue
      }
      end &+= length
    }
    let length = unsafe Int(entries.load(fromByteOffset: place, as: UInt8.self))
    if length == 0xFF { return .null }
    end &+= length
    guard length <= 8, end <= record.count, end >= 8 else { return .unusual }
    let word = unsafe Int64(
      littleEndian: base.loadUnaligned(fromByteOffset: end &- 8, as: Int64.self))
    // All bits of a number without bytes are shifted out.
    value = length == 0 ? 0 : word &>> Int64(truncatingIfNeeded: 64 &- 8 &* length)
    return .value
  }
}
