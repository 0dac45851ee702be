import CLMDB
import KuraCore
import KuraLMDB
import Testing

@Suite struct PageSnapshotTests {
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `random environments read as mdb_dump prints them`(seed: UInt64) throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed, most: 200)
    try random.fill(environment)
    let expected = try StockDump.run(environment.path)
    let text = try StockDump.text(PageSnapshot(environment.path))
    #expect(text == expected, "seed \(seed)")
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `walking backwards gives the same entries in the other order`(seed: UInt64) throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed, most: 150)
    try random.fill(environment)
    let snapshot = try PageSnapshot(environment.path)
    for tree in try MainDatabase(snapshot).databases {
      let cursor = snapshot.cursor(tree)
      var forward: [[[UInt8]]] = []
      var isThere = try cursor.first()
      while isThere {
        forward.append([Array(cursor.key), Array(cursor.value)])
        isThere = try cursor.next()
      }
      var backward: [[[UInt8]]] = []
      isThere = try cursor.last()
      while isThere {
        backward.append([Array(cursor.key), Array(cursor.value)])
        isThere = try cursor.previous()
      }
      #expect(forward == backward.reversed())
      #expect(try snapshot.count(tree) == Int64(forward.count))
    }
  }

  @Test(arguments: [4, 2_000] as [Int])
  func `seeking goes to the key or the next greater one`(count: Int) throws {
    let environment = try StockEnvironment()
    // Even numbers are there, odd ones are not.
    try environment.write { writer in
      let database = try writer.open("numbers", MDB_CREATE)
      for number in 1...count { try writer.put(database, key(2 * number), [UInt8(number % 256)]) }
    }
    let snapshot = try PageSnapshot(environment.path)
    let tree = try #require(try snapshot.database("numbers"))
    let cursor = snapshot.cursor(tree)
    for number in [0, 1, 2, 3, count, 2 * count - 1, 2 * count] {
      let isThere = try key(number).withUnsafeBytes { try cursor.seek($0) }
      #expect(isThere)
      #expect(Array(cursor.key) == key(max(2, number + number % 2)))
    }
    #expect(try key(2 * count + 1).withUnsafeBytes { try cursor.seek($0) } == false)
    #expect(try key(3).withUnsafeBytes { try snapshot.value($0, in: tree)?.count } == nil)
    #expect(
      try key(4).withUnsafeBytes { try snapshot.value($0, in: tree).map { Array($0) } } == [2])
    #expect(try snapshot.database("other") == nil)
  }

  @Test func `the state before the last commit can be read`() throws {
    let environment = try StockEnvironment()
    for value in 1...3 as ClosedRange<UInt8> {
      try environment.write { try $0.put(try $0.open("d", MDB_CREATE), [0x6B], [value]) }
    }
    for (choice, value) in [(SnapshotChoice.newest, [3]), (.previous, [2])] as [(_, [UInt8])] {
      let snapshot = try PageSnapshot(environment.path, choice)
      let tree = try #require(try snapshot.database("d"))
      #expect(
        try ([0x6B] as [UInt8]).withUnsafeBytes {
          try snapshot.value($0, in: tree).map { Array($0) }
        } == value)
    }
  }

  /// A commit of another process may fall between the opening of the file and the reading of its meta
  /// pages, as round 150 of `tools/hammer --format lmdb --seed 1201` had it.
  @Test func `a commit that makes the file longer after it was opened is read whole`() throws {
    let environment = try StockEnvironment()
    try environment.write { try $0.put(try $0.open("d", MDB_CREATE), [0x6B], [1]) }
    let file = try PageFile(environment.path)
    try environment.write { writer in
      let database = try writer.open("d")
      for number in 1...500 { try writer.put(database, key(number), [UInt8(number % 256)]) }
      try writer.put(database, [0x6C], Array(repeating: 7, count: 300_000))
    }
    let snapshot = try PageSnapshot(file)
    #expect(file.size < 50_000 && snapshot.fileSize > 300_000)
    #expect(try StockDump.text(snapshot) == StockDump.run(environment.path))
    #expect(try PageCheck(file, depth: .deep).run().findings.isEmpty)
  }

  @Test func `a writer that goes over the pages of a snapshot is noticed`() throws {
    let environment = try StockEnvironment()
    func write(_ value: UInt8) throws {
      try environment.write { writer in
        let database = try writer.open("d", MDB_CREATE)
        for number in 0..<2_000 { try writer.put(database, key(number), [value]) }
      }
    }
    try write(1)
    let snapshot = try PageSnapshot(environment.path)
    let tree = try #require(try snapshot.database("d"))
    let cursor = snapshot.cursor(tree)
    #expect(try cursor.first())
    // One commit leaves the pages alone; after the second the next writer may use them.
    try write(2)
    try snapshot.checkIsWhole()
    #expect(try cursor.next() && cursor.value.elementsEqual([1]))
    try write(3)
    #expect {
      while try cursor.next() { #expect(cursor.value.elementsEqual([1])) }
      try snapshot.checkIsWhole()
    } throws: { ($0 as? StoreError)?.code == .locked }
  }

  @Test func `values longer than allowed are refused before memory is taken`() throws {
    let environment = try StockEnvironment()
    try environment.write {
      try $0.put(try $0.open("d", MDB_CREATE), [1], [UInt8](repeating: 7, count: 100_000))
    }
    let snapshot = try PageSnapshot(environment.path, valueLimit: 99_999)
    let cursor = snapshot.cursor(try #require(try snapshot.database("d")))
    #expect { try cursor.first() } throws: { ($0 as? StoreError)?.code == .limitReached }
  }

  @Test func `statistics are those of mdb_stat`() throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: 5)
    try random.fill(environment)
    let statistics = try PageStatistics(PageSnapshot(environment.path))
    let text = String(
      decoding: try StockDump.output("mdb_stat -n -aef '\(environment.path)'"), as: UTF8.self)
    var expected: [String] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: ":")
      guard words.count == 2, let number = Int(words[1].drop { $0 == " " }) else { continue }
      let name = words[0].drop { $0 == " " }
      if ["Branch pages", "Leaf pages", "Overflow pages", "Entries"].contains(name) {
        expected.append("\(name) \(number)")
      } else if name == "Free pages" {
        #expect(statistics.freePages == Int64(number))
      }
    }
    // The free list comes first, the main database after it.
    let found = statistics.databases.flatMap { database in
      [
        "Branch pages \(database.tally.branchPages)", "Leaf pages \(database.tally.leafPages)",
        "Overflow pages \(database.tally.overflowPages)", "Entries \(database.tally.entries)",
      ]
    }
    #expect(Array(expected.dropFirst(4)) == found)
    #expect(
      statistics.databases.allSatisfy { ($0.tally.fill ?? 0.5) > 0 && ($0.tally.fill ?? 0.5) <= 1 })
  }

  private func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
  }
}
