import Kura

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files: found again, left alone when only read, copied whole, refused with the right error.
enum FileRules {
  static let all: [ConformanceRule] = [
    ConformanceRule("a store is found again after closing", reopening),
    ConformanceRule("opening for reading changes and makes no file", readOnly),
    ConformanceRule("opening for reading beside a writer changes and makes no file", readBeside),
    ConformanceRule("a write to a store that is open for reading is an error", refusedWrite),
    ConformanceRule("a missing file is an error and is not made", missing),
    ConformanceRule("a folder is an error", folder),
    ConformanceRule("the backend recognises its own files", recognition),
    ConformanceRule("a copy holds the last commit and never replaces a file", copies),
    ConformanceRule("two engines of one file see each other's commits", twoEngines),
  ]

  private static let layout = QueryRules.layout
  private static let everybody = BoundQuery(layout: QueryRules.layout)

  private static func reopening(_ bench: ConformanceBench) throws {
    try QueryRules.filled(bench).close()
    let engine = try bench.open()
    try bench.read(engine) { transaction in
      let stored = try transaction.storedSchema()
      try expectEqual(stored.version, 1, "the version")
      try expect(
        stored.kuraSchema?.models == [QueryRules.people], "another schema was found again")
      try expectEqual(try transaction.count(everybody), 5, "the records")
    }
  }

  private static func readOnly(_ bench: ConformanceBench) throws {
    try QueryRules.filled(bench).close()
    let before = try bench.listing()
    let engine = try bench.open(.readOnly)
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "the records")
    try expectEqual(try bench.listing(), before, "the folder while the store is open")
    _ = try engine.check(.deep, progress: nil)
    _ = try engine.report()
    try engine.close()
    try expectEqual(try bench.listing(), before, "the folder afterwards")
  }

  private static func readBeside(_ bench: ConformanceBench) throws {
    let writer = try QueryRules.filled(bench)
    try bench.read(writer) { _ = try $0.count(everybody) }
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted()
    let engine = try bench.open(.readOnly)
    try expectEqual(try bench.read(engine) { try $0.count(everybody) }, 5, "the records")
    try engine.close()
    try expectEqual(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted(), names,
      "the names in the folder")
    try bench.write(writer) { _ = try $0.delete(1, in: layout) }
  }

  private static func refusedWrite(_ bench: ConformanceBench) throws {
    try QueryRules.filled(bench).close()
    let engine = try bench.open(.readOnly)
    try expectError(.readOnly, of: "a write to a store that is open for reading") {
      try engine.beginWrite(timeout: nil).end()
    }
  }

  private static func missing(_ bench: ConformanceBench) throws {
    for access: EngineOptions.Access in [.readOnly, .readWrite(create: false)] {
      try expectError(.missing, of: "opening a missing file") { _ = try bench.open(access) }
    }
    try expectError(.missing, .readOnlyLocation, of: "making a file in a missing folder") {
      _ = try bench.open(at: .file(bench.folder + "/none/store.db"))
    }
    try expectEqual(try bench.listing(), [], "the folder afterwards")
  }

  private static func folder(_ bench: ConformanceBench) throws {
    try expectError(.isFolder, .notAFile, of: "opening a folder") {
      _ = try EngineOpener.open(
        .file(bench.folder), options: EngineOptions(), backends: [bench.backend])
    }
  }

  private static func recognition(_ bench: ConformanceBench) throws {
    try QueryRules.filled(bench).close()
    let path = bench.folder + "/store.db"
    let bytes = Array(FileManager.default.contents(atPath: path) ?? Data())
    let header = FileHeader(
      bytes: Array(bytes.prefix(FileHeader.maximumByteCount)), fileSize: Int64(bytes.count))
    try expect(bench.backend.recognises(header), "the backend does not recognise its own file")
    let text = Array("name,age\nAda,36\n".utf8)
    try expect(
      !bench.backend.recognises(FileHeader(bytes: text, fileSize: Int64(text.count))),
      "the backend takes text for its own file")
  }

  private static func copies(_ bench: ConformanceBench) throws {
    let engine = try QueryRules.filled(bench)
    for isCompacting in [false, true] {
      let target = StoreLocation.file(bench.folder + "/copy-\(isCompacting).db")
      try engine.copy(to: target, compacting: isCompacting, progress: nil)
      try expectError(.targetExists, of: "a copy onto a file that exists") {
        try engine.copy(to: target, compacting: isCompacting, progress: nil)
      }
      let copy = try bench.open(at: target)
      try expectEqual(
        try bench.read(copy) { try QueryRules.ids(.always, in: $0) }, [1, 2, 3, 4, 5],
        "the records of the copy")
    }
  }

  private static func twoEngines(_ bench: ConformanceBench) throws {
    let first = try QueryRules.filled(bench)
    let second = try bench.open()
    let marker = try second.commitMarker()
    try bench.write(first) { _ = try $0.delete(1, in: layout) }
    try expectEqual(try bench.read(second) { try $0.count(everybody) }, 4, "in the second engine")
    try expect(try second.commitMarker() != marker, "the second engine's marker did not move")
    try bench.write(second) { _ = try $0.delete(2, in: layout) }
    try expectEqual(try bench.read(first) { try $0.count(everybody) }, 3, "in the first engine")
    try second.close()
    try bench.write(first) { _ = try $0.delete(3, in: layout) }
  }
}
