extension StoredValue: Hashable {
  /// Whether two values are the same: type and content; texts by their UTF-8 bytes, doubles by
  /// number (negative zero equals zero) except that not-a-number equals itself.
  public static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let l), .bool(let r)): l == r
    case (.integer(let l), .integer(let r)): l == r
    case (.double(let l), .double(let r)): l == r || (l.isNaN && r.isNaN)
    case (.decimal(let l), .decimal(let r)): l == r
    case (.date(let l), .date(let r)): l == r
    case (.text(let l), .text(let r)): l.utf8.elementsEqual(r.utf8)
    case (.malformedText(let l), .malformedText(let r)): l == r
    case (.data(let l), .data(let r)): l == r
    case (.uuid(let l), .uuid(let r)): l == r
    case (.objectID(let l), .objectID(let r)): l == r
    default: false
    }
  }

  /// Hashes type and content consistently with equality.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.hashBits)
    case .decimal(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .text(let value):
      for byte in value.utf8 { hasher.combine(byte) }
      hasher.combine(0xFF as UInt8)
    case .malformedText(let bytes), .data(let bytes): hasher.combine(bytes)
    case .uuid(let value): hasher.combine(value)
    case .objectID(let value): hasher.combine(value)
    }
  }

  /// Whether this value comes before another in the one order of all values.
  ///
  /// Null, then false and true, then integers and doubles by number (exactly, whatever their size;
  /// not-a-number last; an integer before a double of the same number), then decimals by number,
  /// dates by time, text by its UTF-8 bytes (malformed text likewise, among the others), data, UUIDs
  /// and object identifiers by their bytes, a prefix first. It is the order in which every backend
  /// returns records and keeps keys.
  public func precedes(_ other: StoredValue) -> Bool {
    let (left, right) = (rank, other.rank)
    if left != right { return left < right }
    switch (self, other) {
    case (.bool(let l), .bool(let r)): return !l && r
    case (.integer(let l), .integer(let r)): return l < r
    case (.double(let l), .double(let r)): return r.isNaN ? !l.isNaN : l < r
    case (.integer(let l), .double(let r)): return NumberOrder.compare(l, r) <= 0
    case (.double(let l), .integer(let r)): return NumberOrder.compare(r, l) > 0
    case (.decimal(let l), .decimal(let r)): return l < r
    case (.date(let l), .date(let r)): return l < r
    case (.text(let l), .text(let r)): return l.utf8.lexicographicallyPrecedes(r.utf8)
    case (.text(let l), .malformedText(let r)): return l.utf8.lexicographicallyPrecedes(r)
    case (.malformedText(let l), .text(let r)): return l.lexicographicallyPrecedes(r.utf8)
    case (.malformedText(let l), .malformedText(let r)), (.data(let l), .data(let r)):
      return l.lexicographicallyPrecedes(r)
    case (.uuid(let l), .uuid(let r)): return l.words < r.words
    case (.objectID(let l), .objectID(let r)): return l < r
    default: return false
    }
  }

  /// The place of the value's type in the order of all values.
  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer, .double: 2
    case .decimal: 3
    case .date: 4
    case .text, .malformedText: 5
    case .data: 6
    case .uuid: 7
    case .objectID: 8
    }
  }
}

extension Double {
  /// The bits of the number with one zero and one not-a-number.
  fileprivate var hashBits: UInt64 {
    if isNaN { return Double.nan.bitPattern }
    return (self == 0 ? 0 : self).bitPattern
  }
}
