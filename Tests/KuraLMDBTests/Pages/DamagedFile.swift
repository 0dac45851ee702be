import KuraTesting

/// Damages the bytes of a file in the ways that disks, copies and attackers do; one seed, one damage.
struct DamagedFile {
  enum Way: CaseIterable {
    case flippedBits, flippedHeaders, cut, zeroedPage, crossedPages, crossedPointers, damagedMeta
    case overwritten
  }

  let way: Way
  private(set) var bytes: [UInt8]
  private var generator: RepeatableGenerator
  private let pageSize: Int

  init(_ original: [UInt8], pageSize: Int, seed: UInt64) {
    generator = RepeatableGenerator(seed: seed)
    bytes = original
    self.pageSize = pageSize
    way = Way.allCases[Int(seed % UInt64(Way.allCases.count))]
    apply()
  }

  private mutating func apply() {
    let pages = bytes.count / pageSize
    switch way {
    case .flippedBits:
      for _ in 0..<number(1...3) { flip(number(0...(bytes.count - 1))) }
    case .flippedHeaders:
      // Headers, pointers and the nodes' own headers, where one bit decides.
      for _ in 0..<number(1...2) {
        let page = number(0...(pages - 1)) * pageSize
        let pointer = Int(bytes[page + 16]) | Int(bytes[page + 17]) << 8
        let node = page + (pointer < pageSize - 8 ? pointer : 16)
        flip(Bool.random(using: &generator) ? page + number(0...39) : node + number(0...7))
      }
    case .cut: bytes.removeLast(bytes.count - cutSize(pages))
    case .zeroedPage:
      let page = number(0...(pages - 1)) * pageSize
      for offset in page..<(page + pageSize) { bytes[offset] = 0 }
    case .crossedPages:
      let from = number(0...(pages - 1)) * pageSize
      let to = number(0...(pages - 1)) * pageSize
      let moved = Array(bytes[from..<(from + pageSize)])
      if Bool.random(using: &generator) {
        bytes.replaceSubrange(from..<(from + pageSize), with: bytes[to..<(to + pageSize)])
      }
      bytes.replaceSubrange(to..<(to + pageSize), with: moved)
    case .crossedPointers:
      // Any word that could be the number of a page becomes that of another.
      for _ in 0..<40 {
        let page = number(2...(pages - 1)) * pageSize
        let pointers = (Int(bytes[page + 12]) | Int(bytes[page + 13]) << 8) - 16
        guard pointers > 0, pointers < pageSize - 16, bytes[page + 10] & 1 == 1 else { continue }
        let slot = page + 16 + number(0...(pointers / 2 - 1)) * 2
        let node = Int(bytes[slot]) | Int(bytes[slot + 1]) << 8
        guard node <= pageSize - 8 else { continue }
        set(number(0...pages), at: page + node)
        return
      }
      set(
        number(0...pages),
        at: pageSize * number(0...1) + (Bool.random(using: &generator) ? 80 : 128))
    case .damagedMeta:
      for _ in 0..<number(1...4) {
        bytes[pageSize * number(0...1) + number(0...151)] = UInt8(number(0...255))
      }
    case .overwritten:
      let start = number(0...(bytes.count - 1))
      for offset in start..<min(bytes.count, start + number(1...64)) {
        bytes[offset] = UInt8(number(0...255))
      }
    }
  }

  private mutating func cutSize(_ pages: Int) -> Int {
    Bool.random(using: &generator)
      ? number(0...(pages - 1)) * pageSize : number(0...(bytes.count - 1))
  }

  private mutating func set(_ page: Int, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: page)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: page >> 8)
  }

  private mutating func flip(_ offset: Int) { bytes[offset] ^= 1 << UInt8(number(0...7)) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }
}
