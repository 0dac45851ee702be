import KuraCore

/// The keys of the rows on one page of a table WITHOUT ROWID.
///
/// Such a table is a tree of records that begin with the columns of the key. Source:
/// sqlite.org/fileformat2.html, sections 1.6, 2.1 and 2.4.
struct IndexEntries {
  private let state: PageState
  private let usable: Int
  private let isUTF8: Bool

  /// Prepares reading from one state.
  init(_ state: PageState) throws(StoreError) {
    self.state = state
    let first = try state.page(1)
    usable = state.pageSize - Int(first[20])
    isUTF8 = first.bigEndian32(56) <= 1
  }

  /// The keys on a page; `nil` when they hold texts of another encoding than UTF-8.
  ///
  /// - Throws: ``StoreError/Code/damaged``.
  func keys(on number: UInt32, columns: Int) throws(StoreError) -> [[StoredValue]]? {
    let bytes = try state.page(number)
    let start = TreePages.start(number)
    let kind = try TreePages.kind(bytes, start, number)
    guard !kind.isTable else { return nil }
    let pointers = start + (kind.isLeaf ? 8 : 12)
    var keys: [[StoredValue]] = []
    for index in 0..<bytes.bigEndian16(start + 3) {
      let cell = bytes.bigEndian16(pointers + 2 * index) + (kind.isLeaf ? 0 : 4)
      guard let key = key(try payload(bytes, cell, kind, number), columns) else { return nil }
      keys.append(key)
    }
    return keys
  }

  private func payload(
    _ bytes: [UInt8], _ cell: Int, _ kind: TreePages.Kind, _ number: UInt32
  ) throws(StoreError) -> [UInt8] {
    let (size, length) = TreePages.varint(bytes, cell)
    let first = cell + length
    let local = TreePages.localSize(size, kind, usable) ?? Int(clamping: size)
    guard size >= 0, local >= 0, local <= bytes.count, first <= bytes.count - local,
      size <= Int64(state.pageCount) * Int64(usable)
    else {
      throw StoreError(.damaged, "an entry of page \(number) leaves the page")
    }
    var payload = Array(bytes[first..<(first + local)])
    var next = bytes.bigEndian32(first + local)
    while Int64(payload.count) < size {
      let page = try state.page(next)
      let part = min(Int(size) - payload.count, usable - 4)
      payload += page[4..<(4 + max(0, part))]
      next = page.bigEndian32(0)
    }
    return payload
  }

  /// The first columns of a record.
  private func key(_ record: [UInt8], _ columns: Int) -> [StoredValue]? {
    let (headerSize, length) = TreePages.varint(record, 0)
    var header = length
    guard var place = Int(exactly: headerSize), place <= record.count else { return nil }
    var values: [StoredValue] = []
    while values.count < columns {
      guard header < place || values.isEmpty, header < record.count else { return nil }
      let (type, length) = TreePages.varint(record, header)
      header += length
      guard let (value, size) = value(record, place, type) else { return nil }
      values.append(value)
      place += size
    }
    return values
  }

  private func value(_ record: [UInt8], _ place: Int, _ type: Int64) -> (StoredValue, Int)? {
    switch type {
    case 0: return (.null, 0)
    case 8: return (.integer(0), 0)
    case 9: return (.integer(1), 0)
    case 1...7:
      let size = [1, 2, 3, 4, 6, 8, 8][Int(type) - 1]
      guard place <= record.count - size else { return nil }
      let part = record[place..<(place + size)]
      let isNegative = (part.first ?? 0) & 0x80 != 0 && type < 7
      let bits = part.reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }
      return (
        type == 7 ? .double(Double(bitPattern: bits)) : .integer(Int64(bitPattern: bits)), size
      )
    case 12...:
      guard let size = Int(exactly: (type - 12) / 2), size <= record.count,
        place <= record.count - size
      else { return nil }
      let part = Array(record[place..<(place + size)])
      if type & 1 == 0 { return (.data(part), size) }
      guard isUTF8 else { return nil }
      let isText = unsafe part.withUnsafeBytes { unsafe UTF8Validation.isValid($0) }
      return (isText ? .text(String(decoding: part, as: UTF8.self)) : .malformedText(part), size)
    default: return nil
    }
  }
}
