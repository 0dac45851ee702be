import CLMDB
import KuraCore
import KuraLMDB
import Testing

/// The kinds of damage by which liblmdb ends a process, each made by hand in a small file.
@Suite struct HandMadeDamageTests {
  @Test func `a tree that leads back to its root ends with an error`() throws {
    try expectDamage("several places point at it") { bytes, meta in
      // Each child is the root, and the record promises the greatest depth.
      let root = number(bytes, meta + 128)
      set(&bytes, meta + 94, 32, 2)
      for node in pointers(bytes, root) { set(&bytes, root * 4096 + node, root, 6) }
    }
  }

  @Test func `nodes that begin before the pointers end are found`() throws {
    try expectDamage("nodes begin at byte 16") { bytes, meta in
      set(&bytes, number(bytes, meta + 128) * 4096 + 14, 16, 2)
    }
  }

  @Test func `an array of pointers that leaves its page is found`() throws {
    try expectDamage("array of pointers ends at byte 65534") { bytes, meta in
      set(&bytes, number(bytes, meta + 128) * 4096 + 12, 65_534, 2)
    }
  }

  @Test func `pointers at one node from everywhere are found`() throws {
    try expectDamage("its nodes overlap") { bytes, meta in
      let root = number(bytes, meta + 128)
      let nodes = pointers(bytes, root)
      for index in nodes.indices { set(&bytes, root * 4096 + 16 + 2 * index, nodes.last ?? 0, 2) }
    }
  }

  @Test func `a free list that claims several values a key is found`() throws {
    try expectDamage("the free list has the flags 0x400c") { bytes, meta in
      bytes[meta + 44] |= 0x04
    }
  }

  @Test func `flags on the values of a key are found`() throws {
    let environment = try StockEnvironment()
    try environment.write { writer in
      let database = try writer.open("dup", MDB_CREATE | MDB_DUPSORT)
      for value in 0..<2_000 { try writer.put(database, [1], Array("value \(value)".utf8)) }
    }
    var bytes = try DamageTrial.read(environment.path)
    // A leaf whose nodes have no data is one of a tree of values.
    let leaf = try #require(
      (2..<(bytes.count / 4096)).first { page in
        guard bytes[page * 4096 + 10] == 2, let node = pointers(bytes, page).first else {
          return false
        }
        return bytes[page * 4096 + node] == 0 && bytes[page * 4096 + node + 4] == 0
      })
    bytes[leaf * 4096 + (pointers(bytes, leaf).first ?? 0) + 4] = 0x04
    try expect(bytes, environment, "flags or data of its own")
  }

  @Test func `a record of packed values with a wrong size is found`() throws {
    let environment = try StockEnvironment()
    try environment.write { writer in
      let database = try writer.open("fix", MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED)
      for value in 0..<4_000 {
        try writer.put(database, [1], withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) })
      }
    }
    var bytes = try DamageTrial.read(environment.path)
    let leaf = try #require((2..<(bytes.count / 4096)).first { bytes[$0 * 4096 + 10] == 0x22 })
    set(&bytes, leaf * 4096 + 12, 16 + 2 * 3_000, 2)
    try expect(bytes, environment, "3000 values do not fit into it")
  }

  @Test func `a map that no process can have is found, and what is there is read`() throws {
    let environment = try StockEnvironment()
    try environment.write { writer in try writer.put(try writer.open(nil), [1], [2]) }
    var bytes = try DamageTrial.read(environment.path)
    let content = try SnapshotContent(PageSnapshot(environment.path))
    bytes[4096 + 39] = 0xAB
    let path = environment.folder + "/other.mdb"
    try DamageTrial.write(bytes, path)
    for depth in CheckDepth.allCases {
      let report = try PageCheck(PageFile(path), depth: depth).run()
      #expect(report.findings.map(\.severity) == [.damage])
      #expect(report.findings.first?.message.contains("no process can have a map") == true)
    }
    #expect(try SnapshotContent(PageSnapshot(path)) == content)
  }

  // MARK: Bytes

  private func expectDamage(_ text: String, _ damage: (inout [UInt8], Int) -> Void) throws {
    let environment = try StockEnvironment()
    try environment.write { writer in
      let main = try writer.open(nil)
      for key in 0..<500 { try writer.put(main, Array("key \(key)".utf8), Array("value".utf8)) }
    }
    var bytes = try DamageTrial.read(environment.path)
    // Transaction 1 wrote the second meta page.
    damage(&bytes, 4096)
    try expect(bytes, environment, text)
  }

  /// The check names it, strict reading throws, and salvage ends without an error.
  private func expect(_ bytes: [UInt8], _ environment: StockEnvironment, _ text: String) throws {
    let path = environment.folder + "/other.mdb"
    try DamageTrial.write(bytes, path)
    for depth in CheckDepth.allCases {
      let report = try PageCheck(PageFile(path), depth: depth).run()
      #expect(report.findings.contains { $0.message.contains(text) && $0.severity == .damage })
    }
    #expect { try SnapshotContent(PageSnapshot(path)) } throws: {
      ($0 as? StoreError)?.code == .damaged
    }
    _ = try SnapshotContent(PageSnapshot(path, handling: .salvage))
  }

  private func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    (0..<6).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  private func pointers(_ bytes: [UInt8], _ page: Int) -> [Int] {
    let end = Int(bytes[page * 4096 + 12]) | Int(bytes[page * 4096 + 13]) << 8
    return stride(from: 16, to: min(end, 4096), by: 2).map {
      Int(bytes[page * 4096 + $0]) | Int(bytes[page * 4096 + $0 + 1]) << 8
    }
  }

  private func set(_ bytes: inout [UInt8], _ offset: Int, _ value: Int, _ count: Int) {
    for byte in 0..<count { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }
}
