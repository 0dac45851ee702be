import CLMDB
import KuraCore
import KuraLMDB
import Testing

@Suite struct SnapshotDifferenceTests {
  private typealias Content = [[UInt8]: [[UInt8]]]

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the changes of the last commit turn the state before into the newest`(seed: UInt64) throws {
    let environment = try StockEnvironment()
    var random = RandomEnvironment(seed: seed, most: 60)
    try random.fill(environment)
    let old = try PageSnapshot(environment.path, .previous)
    let new = try PageSnapshot(environment.path)
    try expectChanges(from: old, to: new, "seed \(seed)")
    // Backwards it holds as well, and between files, where no page can be skipped.
    try expectChanges(from: new, to: old, "seed \(seed), backwards")
    let copy = environment.folder + "/copy.mdb"
    try environment.copy(to: copy, compacting: true)
    try expectChanges(from: PageSnapshot(copy), to: old, "seed \(seed), two files")
  }

  @Test func `few changes in a great database are found and told apart`() throws {
    let environment = try StockEnvironment()
    func key(_ number: Int) -> [UInt8] {
      withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
    }
    try environment.write { writer in
      let database = try writer.open("d", MDB_CREATE)
      for number in 0..<20_000 { try writer.put(database, key(number), Array("value".utf8)) }
    }
    try environment.write { writer in
      let database = try writer.open("d")
      try writer.put(database, key(7), Array("other".utf8))
      try writer.delete(database, key(10_000))
      try writer.put(database, key(30_000), [])
      // Written anew and equal: no change.
      try writer.put(database, key(15_000), Array("value".utf8))
    }
    let difference = SnapshotDifference(
      from: try PageSnapshot(environment.path, .previous), to: try PageSnapshot(environment.path))
    let pair = try #require(try difference.databases().first)
    var changes: [String] = []
    try difference.changes(from: pair.old, to: pair.new) { change throws(StoreError) in
      let number = change.key.reduce(0) { $0 << 8 | Int($1) }
      changes.append(
        "\(change.kind) \(number) \(change.old?.count ?? -1) \(change.new?.count ?? -1)")
    }
    #expect(changes == ["update 7 5 5", "delete 10000 5 -1", "insert 30000 -1 0"])
  }

  private func expectChanges(from old: PageSnapshot, to new: PageSnapshot, _ what: String) throws {
    let difference = SnapshotDifference(from: old, to: new)
    let pairs = try difference.databases()
    let touched = pairs.map { $0.new?.name ?? $0.old?.name }
    for tree in try MainDatabase(new).databases where !touched.contains(tree.name) {
      let before = try tree.name.flatMap { try old.database($0) }
      #expect(try content(old, before) == content(new, tree), "\(what)")
    }
    for (before, after) in pairs + [(old.main, new.main)] {
      var found = try content(old, before)
      try difference.changes(from: before, to: after) { change throws(StoreError) in
        let key = Array(change.key)
        if let old = change.old {
          #expect(found[key]?.contains(Array(old)) == true, "\(what)")
          if let at = found[key]?.firstIndex(of: Array(old)) { found[key]?.remove(at: at) }
          if found[key]?.isEmpty == true { found[key] = nil }
        }
        if let new = change.new { found[key, default: []].append(Array(new)) }
      }
      found = found.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
      #expect(try found == content(new, after), "\(what)")
    }
  }

  private func content(_ snapshot: PageSnapshot, _ tree: PageTree?) throws -> Content {
    var content: Content = [:]
    guard let tree else { return content }
    let cursor = snapshot.cursor(tree)
    var isThere = try cursor.first()
    while isThere {
      if !cursor.isDatabase { content[Array(cursor.key), default: []].append(Array(cursor.value)) }
      isThere = try cursor.next()
    }
    return content.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
  }
}
