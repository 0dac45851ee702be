import Foundation
import KuraCore
import Testing

@testable import KuraLMDB

/// Copies have the content of their source, byte for byte in every database.
@Suite struct `Copies of LMDB stores` {
  private let workshop: LMDBWorkshop

  init() throws { workshop = try LMDBWorkshop() }

  private func filled() throws -> any StorageEngine {
    let engine = try workshop.make(Dogs.model)
    for round in 1...4 {
      try engine.write { transaction in
        for number in 1...1_000 {
          try transaction.put(
            Dogs.layout,
            [
              .integer(Int64(number)), .text("Rex\(round)"), .integer(Int64(number % 7)), .null,
              .null,
            ],
            .upsert)
        }
      }
    }
    try engine.write {
      _ = try $0.delete(
        matching: BoundQuery(
          layout: Dogs.layout, condition: .compareValue(column: 0, .greater, 300)))
    }
    return engine
  }

  @Test(arguments: [false, true], [false, true])
  func `every database has the same entries`(isCompacting: Bool, isReadOnly: Bool) throws {
    var engine = try filled()
    if isReadOnly {
      try engine.close()
      engine = try workshop.open(EngineOptions(access: .readOnly))
      #expect(engine is PageEngine)
    }
    let target = workshop.folder + "/copy.db"
    try engine.copy(to: .file(target), compacting: isCompacting, progress: nil)
    for database in ["kura", "m1", "i1"] {
      #expect(try workshop.stock(database, file: target) == workshop.stock(database))
    }
    let size = try #require(FileStatus.at(target)?.size)
    let original = try #require(FileStatus.at(workshop.path)?.size)
    #expect(!isCompacting || size < original / 2)
    let copy = try workshop.open(at: target)
    #expect(try workshop.findings(copy) == [])
    try copy.write { try $0.put(Dogs.layout, [1_000_000, "New", 1, .null, .null]) }
    #expect(try workshop.findings(copy) == [])
  }

  @Test func `removed models leave nothing in a compacted copy`() throws {
    let engine = try filled()
    try engine.write { transaction in
      try transaction.apply(.dropModel("Dog"))
      try transaction.setSchema(try Schema(version: 2, []))
    }
    let target = workshop.folder + "/copy.db"
    try engine.copy(to: .file(target), compacting: true, progress: nil)
    let names = try StockDump.output("mdb_dump -n -l '\(target)'")
    #expect(String(decoding: names, as: UTF8.self) == "kura\n")
  }
}
