extension PageLayout {
  /// Where a node begins; `nil` when it leaves the page.
  @inline(__always)
  func offset(_ index: Int) -> Int? {
    let offset = bytes.uint16(PageLayout.headerSize &+ 2 &* index)
    guard offset >= PageLayout.headerSize, offset <= bytes.count &- PageLayout.nodeHeaderSize else {
      return nil
    }
    return offset
  }

  /// The key of a node; empty when it leaves the page.
  @inline(__always)
  func key(_ index: Int) -> UnsafeRawBufferPointer {
    if kind == .fixed {
      return unsafe bytes.slice(PageLayout.headerSize &+ index &* itemSize, itemSize)
    }
    guard let offset = offset(index) else { return unsafe bytes.slice(0, 0) }
    return unsafe bytes.slice(
      offset &+ PageLayout.nodeHeaderSize, bytes.uint16(offset &+ 6))
  }

  /// The page below a node of a branch.
  @inline(__always)
  func child(_ index: Int) -> UInt64 {
    guard let offset = offset(index) else { return 0 }
    // Three words: page numbers of 48 bits.
    return bytes.uint64(offset) & 0xFFFF_FFFF_FFFF
  }

  /// A node of a leaf; `nil` when it leaves the page.
  @inline(__always)
  func node(_ index: Int) -> LeafNode? {
    guard let offset = offset(index) else { return nil }
    let keySize = bytes.uint16(offset &+ 6)
    let flags = bytes.uint16(offset &+ 4)
    guard let size = Int(exactly: bytes.uint32(offset)) else { return nil }
    let data = offset &+ PageLayout.nodeHeaderSize &+ keySize
    let inline = flags & NodeFlags.overflow != 0 ? 8 : size
    guard data <= bytes.count, inline <= bytes.count &- data else { return nil }
    return LeafNode(
      flags: flags, keyOffset: offset &+ PageLayout.nodeHeaderSize, keySize: keySize,
      dataOffset: data,
      dataSize: size)
  }

  /// The first node whose key is this one or greater; ``count`` when there is none.
  ///
  /// On a branch the first node's key counts as the least of all.
  func lowerBound(_ key: UnsafeRawBufferPointer, _ order: KeyOrder) -> Int {
    var low = kind == .branch ? 1 : 0
    var high = count
    while low < high {
      let middle = (low &+ high) / 2
      if unsafe order.compare(self.key(middle), key) < 0 {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    return min(low, count)
  }

  /// The node of a branch below which a key belongs.
  func branchIndex(_ key: UnsafeRawBufferPointer, _ order: KeyOrder) -> Int {
    let bound = unsafe lowerBound(key, order)
    if bound < count, bound > 0, unsafe order.compare(self.key(bound), key) == 0 { return bound }
    return max(0, bound - 1)
  }
}

/// One entry of a leaf, inside the page's bytes.
struct LeafNode {
  let flags: Int
  let keyOffset: Int
  let keySize: Int
  let dataOffset: Int
  /// The size of the value; of a long one, which is elsewhere, too.
  let dataSize: Int
}
