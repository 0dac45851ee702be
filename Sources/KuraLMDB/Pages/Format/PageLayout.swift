import KuraCore

/// A page of a tree, whose nodes were checked to lie inside it.
///
/// The bytes are a private copy of what the file had, so that what was checked stays true.
@safe
struct PageLayout {
  /// What a page holds.
  enum Kind: UInt8 {
    /// Keys and the pages below them.
    case branch
    /// Keys and data.
    case leaf
    /// Keys of one size, packed.
    case fixed
  }

  static let headerSize = 16
  static let nodeHeaderSize = 8

  let bytes: PageBytes
  let kind: Kind
  /// The number of nodes that can be read.
  let count: Int
  /// The size of the keys of a ``Kind/fixed`` page.
  let itemSize: Int
  /// The bytes that header, pointers and nodes take.
  let usedBytes: Int

  /// A page without nodes.
  static var empty: PageLayout {
    PageLayout(
      bytes: unsafe PageBytes(EmptyPage.bytes, count: 0), kind: .leaf, count: 0, itemSize: 0,
      usedBytes: 0)
  }

  private init(bytes: PageBytes, kind: Kind, count: Int, itemSize: Int, usedBytes: Int) {
    self.bytes = bytes
    self.kind = kind
    self.count = count
    self.itemSize = itemSize
    self.usedBytes = usedBytes
  }

  /// Checks a page.
  ///
  /// - Parameters:
  ///   - number: For messages; the page that contains it when it is one inside a value.
  ///   - isBranch: What the level in the tree asks for.
  ///   - itemSize: The size of the keys when the tree is of values of one size, else 0.
  ///   - isSubPage: Whether it is a page inside a value; its number is a stale one then.
  ///   - complain: Is told of faults that leave the rest of the page readable; throws to refuse.
  /// - Throws: ``StoreError/Code/damaged`` when nothing of the page can be read.
  init(
    _ bytes: PageBytes, number: UInt64, isBranch: Bool, itemSize: Int, isSubPage: Bool,
    complain: (StoreError) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard bytes.count >= PageLayout.headerSize else {
      throw .page(number, "a page inside a value has \(bytes.count) bytes")
    }
    let flags = bytes.uint16(10)
    let name = isSubPage ? "the page inside a value" : "the page"
    if !isSubPage {
      let own = bytes.uint64(0)
      if own != number { try complain(.page(number, "its header says page \(own)")) }
    }
    let wanted =
      isBranch
      ? PageFlags.branch
      : PageFlags.leaf | (itemSize > 0 ? PageFlags.fixed : 0) | (isSubPage ? PageFlags.subPage : 0)
    guard flags & PageFlags.kind == wanted else {
      throw .page(
        number,
        "\(name) has the flags \(PageLayout.hex(flags)) where "
          + "\(isBranch ? "a branch" : "a leaf") (\(PageLayout.hex(wanted))) belongs")
    }
    let state = flags & ~PageFlags.kind
    if state != (isSubPage ? PageFlags.dirty : 0), state != 0 {
      try complain(.page(number, "\(name) has unknown flags \(PageLayout.hex(flags))"))
    }
    let lower = bytes.uint16(12)
    let upper = bytes.uint16(14)
    // On pages of packed keys it counts two bytes a key, whatever their size.
    guard lower >= PageLayout.headerSize, lower & 1 == 0, lower <= bytes.count || itemSize > 0
    else {
      throw .page(number, "\(name)'s array of pointers ends at byte \(lower)")
    }
    let count = (lower - PageLayout.headerSize) / 2
    if itemSize > 0 {
      let own = bytes.uint16(8)
      if own != itemSize {
        try complain(.page(number, "its values have \(own) bytes, its tree's \(itemSize)"))
      }
      let room = (bytes.count - PageLayout.headerSize) / itemSize
      if count > room { try complain(.page(number, "its \(count) values do not fit into it")) }
      let readable = min(count, room)
      // What is left between the two is what writers believe in (SIZELEFT).
      let free = bytes.count - PageLayout.headerSize - count * itemSize
      if upper - lower != free {
        try complain(
          .page(number, "\(name) has \(free) bytes left, its header says \(upper - lower)"))
      }
      self.init(
        bytes: bytes, kind: .fixed, count: readable, itemSize: itemSize,
        usedBytes: PageLayout.headerSize + readable * itemSize)
      return
    }
    guard upper >= lower, upper <= bytes.count else {
      throw .page(
        number, "\(name)'s nodes begin at byte \(upper), its pointers end at byte \(lower)")
    }
    let heap = try PageLayout.measure(
      bytes, number, count: count, upper: upper, isBranch: isBranch, complain)
    self.init(
      bytes: bytes, kind: isBranch ? .branch : .leaf, count: heap.count, itemSize: 0,
      usedBytes: lower + heap.size)
  }

  /// Looks at all nodes: none leaves the page, and none lies in another.
  ///
  /// LMDB keeps nodes without gaps, so overlapping shows in the sum of their sizes. It must be found:
  /// pointers at one long node from everywhere would make a page of endless content.
  private static func measure(
    _ bytes: PageBytes, _ number: UInt64, count: Int, upper: Int, isBranch: Bool,
    _ complain: (StoreError) throws(StoreError) -> Void
  ) throws(StoreError) -> (count: Int, size: Int) {
    let room = bytes.count - upper
    var size = 0
    var index = 0
    while index < count {
      let offset = bytes.uint16(headerSize + 2 * index)
      var length = 0
      if offset >= upper, offset & 1 == 0, offset <= bytes.count - nodeHeaderSize {
        length = nodeHeaderSize + bytes.uint16(offset + 6)
        if !isBranch {
          let flags = bytes.uint16(offset + 4)
          // 32-bit sizes cannot overflow where Int has 64 bits; where it has 32, they are refused.
          let data =
            flags & NodeFlags.overflow != 0 ? 8 : Int(exactly: bytes.uint32(offset)) ?? bytes.count
          length = data > bytes.count ? 0 : length + data
        }
        if length > bytes.count - offset { length = 0 }
      }
      if length == 0 {
        try complain(.page(number, "node \(index) leaves the page"))
      }
      length += length & 1
      if size + length > room {
        try complain(.page(number, "its nodes overlap"))
        return (index, size)
      }
      size += length
      index += 1
    }
    if size != room { try complain(.page(number, "its nodes take \(size) of \(room) bytes")) }
    return (count, size)
  }

  private static func hex(_ number: Int) -> String { "0x" + String(number, radix: 16) }
}

/// Bytes for pages that have none.
enum EmptyPage {
  // Never changed: an address for empty buffers, which must not be null, in any thread.
  nonisolated(unsafe) static let bytes: UnsafeRawPointer = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8))
}
