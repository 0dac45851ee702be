import KuraTesting
import Testing

@testable import KuraCore

@Suite struct ExternalSorterTests {
  private func items(_ count: Int, _ random: inout RepeatableGenerator) -> [[UInt8]] {
    (0..<count).map { number in
      let length = Int.random(in: 0...20, using: &random)
      // Few different bytes, so that items share beginnings and some are equal.
      return (0..<length).map { _ in [0, 1, 0xFE, 0xFF].randomElement(using: &random) ?? 0 }
    }
  }

  private func sorted(_ items: [[UInt8]], _ sorter: ExternalSorter) throws -> [[UInt8]] {
    for item in items {
      // Where the key ends and the payload begins is of no matter for the order.
      let middle = item.count / 2
      try item[..<middle].withUnsafeBytes { key in
        try item[middle...].withUnsafeBytes { payload in
          try sorter.add(key, payload)
        }
      }
    }
    try sorter.finish()
    var result: [[UInt8]] = []
    while try sorter.next() {
      result.append(Array(sorter.key) + Array(sorter.payload))
    }
    return result
  }

  @Test("items come as sorted() gives them, in memory, over files and in several passes")
  func order() throws {
    for (seed, count) in [0, 1, 2, 100, 5000, 40_000].enumerated() {
      var random = RepeatableGenerator(seed: UInt64(seed))
      let items = items(count, &random)
      let expected = items.sorted { $0.lexicographicallyPrecedes($1) }
      for memory in [4096, 100_000, 64 << 20] {
        let sorter = ExternalSorter(memoryLimit: memory)
        #expect(try sorted(items, sorter) == expected, "\(count) items in \(memory) bytes")
        #expect(try !sorter.next())
        // Two runs are merged at a time with so little memory: hundreds of runs take many passes.
        if memory == 4096, count == 40_000 { #expect(sorter.spillCount > 200) }
        if memory == 64 << 20 { #expect(sorter.spillCount == 0) }
      }
    }
  }

  @Test("the first items are those that sorting all would give")
  func first() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = RepeatableGenerator(seed: seed)
      let items = items(Int.random(in: 0...6000, using: &random), &random)
      let wanted = [0, 1, 10, 700, 5000, Int.max].randomElement(using: &random) ?? 1
      let memory = [4096, 1 << 20].randomElement(using: &random) ?? 4096
      let sorter = ExternalSorter(wanted: wanted, memoryLimit: memory)
      let expected = Array(items.sorted { $0.lexicographicallyPrecedes($1) }.prefix(wanted))
      #expect(try sorted(items, sorter) == expected, "seed \(seed)")
      if wanted <= 10 { #expect(sorter.spillCount == 0, "few wanted items need no file") }
    }
  }

  @Test("a sorter can be used again after reset, whether it had spilled or not")
  func reset() throws {
    var random = RepeatableGenerator(seed: 7)
    let sorter = ExternalSorter(memoryLimit: 4096)
    for count in [3, 2000, 0, 5, 2000] {
      try sorter.reset()
      let items = items(count, &random)
      #expect(
        try sorted(items, sorter) == items.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  @Test("an item larger than the memory goes through")
  func largeItems() throws {
    let items = (0..<6).map { number in
      [UInt8](repeating: UInt8(5 - number), count: number % 2 == 0 ? 200_000 : 3)
    }
    let sorter = ExternalSorter(memoryLimit: 4096)
    #expect(try sorted(items, sorter) == Array(items.reversed()))
  }

  @Test("a file without a name takes what does not fit, and memory stays bounded")
  func bounded() throws {
    let sorter = ExternalSorter(memoryLimit: 1 << 18)
    var random = RepeatableGenerator(seed: 1)
    var bytes = [UInt8](repeating: 0, count: 100)
    var sum: UInt64 = 0
    var peak = 0
    // 10 MB of items.
    for _ in 0..<100_000 {
      let number = random.next()
      sum &+= number
      withUnsafeBytes(of: number.bigEndian) { bytes.replaceSubrange(0..<8, with: $0) }
      try bytes.withUnsafeBytes { bytes in
        try sorter.add(UnsafeRawBufferPointer(rebasing: bytes[..<8]), bytes)
      }
      peak = max(peak, sorter.memoryInUse)
    }
    try sorter.finish()
    var last: UInt64 = 0
    var isSorted = true
    var count = 0
    while try sorter.next() {
      let number = UInt64(bigEndian: sorter.key.loadUnaligned(as: UInt64.self))
      isSorted = isSorted && number >= last
      last = number
      sum &-= number
      count += 1
      peak = max(peak, sorter.memoryInUse)
    }
    #expect(isSorted && count == 100_000 && sum == 0)
    #expect(sorter.spillCount > 40)
    #expect(peak > 100_000 && peak <= 5 << 16, "\(peak) bytes")
  }

  @Test("work that was cancelled ends while runs are merged")
  func cancelled() throws {
    let limits = ExecutionLimits()
    let sorter = ExternalSorter(memoryLimit: 4096, limits: limits)
    var random = RepeatableGenerator(seed: 3)
    for item in items(60_000, &random) {
      try item.withUnsafeBytes { item in try sorter.add(item, item) }
    }
    limits.cancel()
    #expect(throws: StoreError.self) { try sorter.finish() }
  }
}
