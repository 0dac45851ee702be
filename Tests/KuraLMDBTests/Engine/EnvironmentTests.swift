import Dispatch
import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// One environment for a file, one thread for a write, and files that do not vanish unnoticed.
@Suite struct `Environments` {
  private let workshop: LMDBWorkshop

  init() throws { workshop = try LMDBWorkshop() }

  private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    let runner = Thread {
      body()
      isDone.signal()
    }
    runner.start()
    isDone.wait()
  }

  @Test func `other names of a file lead to the same environment`() throws {
    let engine = try workshop.make(Dogs.model)
    try engine.write { try $0.put(Dogs.layout, Dogs.rex) }
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: workshop.folder + "/soft.db", withDestinationPath: workshop.path)
    try manager.linkItem(atPath: workshop.path, toPath: workshop.folder + "/hard.db")
    let reader = try engine.beginRead()
    for name in ["soft.db", "hard.db", "./store.db"] {
      let other = try workshop.open(at: workshop.folder + "/" + name)
      let lease = try (other as? LMDBEngine)?.lease()
      #expect(try lease?.environment === (engine as? LMDBEngine)?.lease().environment)
      try other.write { transaction in
        for number in 1...50 {
          try transaction.put(
            Dogs.layout, [.integer(Int64(number)), .text(name), 1, .null, .null], .upsert)
        }
      }
      try other.close()
    }
    // What a second environment of one process would ruin: the snapshot of the first reader.
    #expect(try reader.rows(BoundQuery(layout: Dogs.layout)) == [Dogs.rex])
    reader.end()
    #expect(try workshop.names.filter { $0.hasSuffix("-lock") } == ["store.db-lock"])
  }

  @Test func `the last lease closes the file, and it opens again`() throws {
    for _ in 0..<20 {
      let engine = try workshop.open()
      let reader = try engine.beginRead()
      try engine.close()
      reader.end()
    }
    #expect(try EnvironmentRegistry.shared.existing(workshop.path) == nil)
  }

  @Test func `who waits for nobody can read and write all the same`() throws {
    try workshop.make(Dogs.model).close()
    let engine = try workshop.open(EngineOptions(busyTimeout: .zero))
    try engine.write { try $0.put(Dogs.layout, Dogs.rex) }
    #expect(try engine.read { try $0.rows(BoundQuery(layout: Dogs.layout)) } == [Dogs.rex])
  }

  @Test func `a write on another thread than its own is refused`() throws {
    let engine = try workshop.make(Dogs.model)
    let transaction = try engine.beginWrite(timeout: nil)
    let box = Box(transaction)
    onAnotherThread {
      #expect(code { _ = try box.transaction.put(Dogs.layout, Dogs.rex) } == .wrongThread)
      #expect(code { try box.transaction.commit() } == .wrongThread)
    }
    try transaction.put(Dogs.layout, Dogs.rex)
    try transaction.commit()
    #expect(try engine.read { try $0.count(Dogs.layout) } == 1)
  }

  @Test func `a write that is ended elsewhere is rolled back by its own thread`() throws {
    let engine = try workshop.make(Dogs.model)
    let transaction = try engine.beginWrite(timeout: nil)
    try transaction.put(Dogs.layout, Dogs.rex)
    let box = Box(transaction)
    onAnotherThread {
      box.transaction.end()
      #expect(code { _ = try engine.beginWrite(timeout: .milliseconds(20)) } == .timedOut)
    }
    try engine.write { try $0.put(Dogs.layout, [1, "Max", 1, .null, .null]) }
    #expect(try engine.read { try $0.count(Dogs.layout) } == 1)
  }

  private final class Box: @unchecked Sendable {
    let transaction: any EngineWriteTransaction
    init(_ transaction: any EngineWriteTransaction) { self.transaction = transaction }
  }

  @Test func `a file that was removed or replaced is noticed before a commit is promised`() throws {
    for replaces in [false, true] {
      let engine = try workshop.make(Dogs.model)
      let transaction = try engine.beginWrite(timeout: nil)
      try transaction.put(Dogs.layout, Dogs.rex)
      try FileManager.default.removeItem(atPath: workshop.path)
      if replaces { try Data("other".utf8).write(to: URL(fileURLWithPath: workshop.path)) }
      #expect(code { try transaction.commit() } == .replaced)
      #expect(code { _ = try engine.beginRead() } == .replaced)
      #expect(code { _ = try engine.beginWrite(timeout: nil) } == .replaced)
      try engine.close()
      for name in try workshop.names {
        try FileManager.default.removeItem(atPath: workshop.folder + "/" + name)
      }
    }
  }

  @Test func `many open the same missing file at once, and find one store`() throws {
    let path = workshop.path
    let model = Dogs.model
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      do {
        let engine = try LMDBBackend().open(.file(path), EngineOptions())
        try engine.write { transaction in
          if try transaction.storedSchema().models.isEmpty {
            try transaction.apply(.createModel(model))
          }
          try transaction.put(Dogs.layout, [.integer(Int64(number)), "Rex", 1, .null, .null])
        }
        try engine.close()
      } catch {
        Issue.record("\(error)")
      }
    }
    let engine = try workshop.open()
    #expect(try engine.read { try $0.count(Dogs.layout) } == 8)
    #expect(try workshop.names == ["store.db", "store.db-lock"])
  }

  @Test func `an empty file becomes a store and keeps its permissions`() throws {
    #expect(
      FileManager.default.createFile(
        atPath: workshop.path, contents: Data(), attributes: [.posixPermissions: 0o600]))
    try workshop.open().close()
    let attributes = try FileManager.default.attributesOfItem(atPath: workshop.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try workshop.names == ["store.db", "store.db-lock"])
  }

  @Test func `a file that was cut off is refused before liblmdb maps it`() throws {
    let engine = try workshop.make(Dogs.model)
    try engine.write { transaction in
      for number in 1...2_000 {
        try transaction.put(Dogs.layout, [.integer(Int64(number)), "Rex", 1, 1.5, .null])
      }
    }
    try engine.close()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: workshop.path))
    try handle.truncate(atOffset: 5 * 4096)
    try handle.close()
    for access: EngineOptions.Access in [.readWrite(create: true), .readOnly] {
      #expect(
        code { _ = try workshop.open(EngineOptions(access: access)).beginRead() } == .truncated)
    }
  }

  @Test func `files of others are left alone`() throws {
    let stock = try StockEnvironment()
    try stock.write { try $0.put($0.open(nil), [1], [2]) }
    #expect(code { _ = try workshop.open(at: stock.path) } == .foreign)
    let engine = try workshop.open(EngineOptions(access: .readOnly), at: stock.path)
    #expect(engine is ForeignEngine)
    #expect(try engine.read { try $0.storedSchema().kuraSchema } == nil)
  }

  @Test func `a newer format and unknown members of the catalogue are refused`() throws {
    try workshop.make(Dogs.model).close()
    let entry = try workshop.stock("kura")
    let model = try #require(entry.firstIndex { $0 == StoredValue.hex("model:".utf8) + "00000001" })
    for (key, value, expected) in [
      ("format", StoredValue.hex("2".utf8), StoreError.Code.newerFormat),
      (
        "model:",
        entry[model + 1].replacing(
          StoredValue.hex(#"{"id""#.utf8), with: StoredValue.hex(#"{"extra":1,"id""#.utf8)),
        .damaged
      ),
    ] {
      let copy = workshop.folder + "/\(expected.rawValue).db"
      try FileManager.default.copyItem(atPath: workshop.path, toPath: copy)
      let name = StoredValue.hex(key.utf8) + (key == "model:" ? "00000001" : "")
      let text =
        "VERSION=3\nformat=bytevalue\ndatabase=kura\ntype=btree\nHEADER=END\n \(name)\n \(value)\nDATA=END\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: workshop.folder + "/in"))
      _ = try StockDump.output("mdb_load -n -s kura -f '\(workshop.folder)/in' '\(copy)' 2>&1")
      for access: EngineOptions.Access in [.readWrite(create: true), .readOnly] {
        #expect(
          code { _ = try workshop.open(EngineOptions(access: access), at: copy) } == expected)
      }
    }
  }
}
