import KuraCore

/// The pages of one tree of a database, read without SQLite.
///
/// Source: sqlite.org/fileformat2.html, section 1.6.
struct TreePages {
  /// What a page of a tree is.
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    var isTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  /// A page with the row numbers that can be in it: above the first, up to the second.
  struct Page {
    let number: UInt32
    /// Whether it is known to be a leaf without a look at it.
    let isLeaf: Bool
    let lower: Int64
    let upper: Int64
    /// The bytes of pages above leaves.
    let bytes: [UInt8]
  }

  private static let deepest = 40

  let state: PageState

  /// Visits all pages of a tree; leaves that are not the root are not read.
  func visit(_ root: UInt32, _ body: (Page) throws(StoreError) -> Void) throws(StoreError) {
    var visited = 0
    // The depth of the leaves is that of the leftmost one.
    let depth = try depth(root)
    try visit(root, above: depth, .min, .max, &visited, body)
  }

  private func depth(_ root: UInt32) throws(StoreError) -> Int {
    var number = root
    for depth in 0..<TreePages.deepest {
      let bytes = try state.page(number)
      let start = TreePages.start(number)
      let kind = try TreePages.kind(bytes, start, number)
      if kind.isLeaf { return depth }
      let count = bytes.bigEndian16(start + 3)
      number =
        count == 0
        ? bytes.bigEndian32(start + 8) : bytes.bigEndian32(bytes.bigEndian16(start + 12))
    }
    throw StoreError(.damaged, "the tree of page \(root) leads in circles")
  }

  private func visit(
    _ number: UInt32, above depth: Int, _ lower: Int64, _ upper: Int64, _ visited: inout Int,
    _ body: (Page) throws(StoreError) -> Void
  ) throws(StoreError) {
    visited += 1
    guard visited <= Int(state.pageCount), number >= 1, number <= state.pageCount else {
      throw StoreError(.damaged, "a tree leads to page \(number) of \(state.pageCount)")
    }
    guard depth > 0 else {
      return try body(
        Page(number: number, isLeaf: true, lower: lower, upper: upper, bytes: []))
    }
    let bytes = try state.page(number)
    let start = TreePages.start(number)
    let kind = try TreePages.kind(bytes, start, number)
    guard !kind.isLeaf else {
      throw StoreError(.damaged, "the leaves of a tree are not on one level: page \(number)")
    }
    try body(Page(number: number, isLeaf: false, lower: lower, upper: upper, bytes: bytes))
    var before = lower
    for index in 0..<bytes.bigEndian16(start + 3) {
      let cell = bytes.bigEndian16(start + 12 + 2 * index)
      var key = Int64.max
      if kind.isTable { key = TreePages.varint(bytes, cell + 4).value }
      try visit(bytes.bigEndian32(cell), above: depth - 1, before, key, &visited, body)
      if kind.isTable { before = key }
    }
    try visit(bytes.bigEndian32(start + 8), above: depth - 1, before, upper, &visited, body)
  }

  /// Where the header of a page begins.
  static func start(_ number: UInt32) -> Int { number == 1 ? 100 : 0 }

  static func kind(_ bytes: [UInt8], _ start: Int, _ number: UInt32) throws(StoreError) -> Kind {
    guard bytes.count > start + 8, let kind = Kind(rawValue: bytes[start]) else {
      throw StoreError(.damaged, "page \(number) is no page of a tree")
    }
    return kind
  }

  /// A number of up to nine bytes and its length.
  static func varint(_ bytes: [UInt8], _ offset: Int) -> (value: Int64, length: Int) {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset >= 0, offset + index < bytes.count else { return (0, index) }
      let byte = bytes[offset + index]
      if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return (Int64(bitPattern: value), index + 1) }
    }
    return (Int64(bitPattern: value), 9)
  }

  // MARK: Long values

  /// Visits the pages that hold the rest of what does not fit into a page.
  ///
  /// - Parameter usable: The bytes of a page that are used.
  func visitOverflow(
    of number: UInt32, usable: Int, _ body: (UInt32) -> Void
  ) throws(StoreError) {
    let bytes = try state.page(number)
    let start = TreePages.start(number)
    let kind = try TreePages.kind(bytes, start, number)
    guard kind != .tableInterior else { return }
    let pointers = start + (kind.isLeaf ? 8 : 12)
    for index in 0..<bytes.bigEndian16(start + 3) {
      var place = bytes.bigEndian16(pointers + 2 * index)
      if !kind.isLeaf { place += 4 }
      let (size, length) = TreePages.varint(bytes, place)
      place += length
      if kind.isTable { place += TreePages.varint(bytes, place).length }
      guard let local = TreePages.localSize(size, kind, usable) else { continue }
      try followChain(bytes.bigEndian32(place + local), rest: size - Int64(local), usable, body)
    }
  }

  /// The bytes of a payload that are in the page itself; `nil` when all of them are.
  static func localSize(_ size: Int64, _ kind: Kind, _ usable: Int) -> Int? {
    let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard size > Int64(most), usable > 64 else { return nil }
    let least = (usable - 12) * 32 / 255 - 23
    let local = least + Int((size - Int64(least)) % Int64(usable - 4))
    return local <= most ? local : least
  }

  private func followChain(
    _ first: UInt32, rest: Int64, _ usable: Int, _ body: (UInt32) -> Void
  ) throws(StoreError) {
    var number = first
    var rest = rest
    while rest > 0, number > 0 {
      body(number)
      number = try state.page(number).bigEndian32(0)
      rest -= Int64(usable - 4)
    }
  }
}
