import KuraCore
import KuraLMDB
import Testing

/// Files of LMDB's family that are not read, and files that are cut or hand-made.
@Suite struct ForeignRelativeTests {
  @Test(
    arguments: [
      (4, false, 1, 12, "32-bit, little-endian", StoreError.Code.unsupportedFormat),
      (8, true, 1, 16, "64-bit, big-endian", .unsupportedFormat),
      (4, true, 1, 12, "32-bit, big-endian", .unsupportedFormat),
      (4, false, 2, 16, "data version 2 (LMDB 1.0)", .newerFormat),
      (8, false, 2, 24, "data version 2 (LMDB 1.0)", .newerFormat),
      (8, false, 999, 16, "data version 999", .newerFormat),
    ] as [(Int, Bool, Int, Int, String, StoreError.Code)])
  func `LMDB files of other machines and versions are refused by name`(
    word: Int, isBig: Bool, version: Int, offset: Int, name: String, code: StoreError.Code
  ) throws {
    let environment = try StockEnvironment()
    var bytes = [UInt8](repeating: 0, count: 8192)
    for (number, place) in [(0xBEEF_C0DE, offset), (version, offset + 4)] {
      for byte in 0..<4 {
        bytes[place + (isBig ? 3 - byte : byte)] = UInt8(truncatingIfNeeded: number >> (8 * byte))
      }
    }
    let path = environment.folder + "/other.mdb"
    try DamageTrial.write(bytes, path)
    #expect { try PageSnapshot(path) } throws: { error in
      let error = error as? StoreError
      return error?.code == code && error?.message.contains(name) == true
    }
  }

  @Test func `libmdbx, lock files, texts and empty files are refused by name`() throws {
    let environment = try StockEnvironment()
    let path = environment.folder + "/other.mdb"
    var mdbx = [UInt8](repeating: 0, count: 4096)
    mdbx.replaceSubrange(20..<28, with: [3, 0x11, 0x4C, 0xEF, 0xBD, 0x9D, 0x65, 0x59])
    let cases: [([UInt8], StoreError.Code, String)] = [
      (mdbx, .unsupportedFormat, "libmdbx"),
      (
        [0xDE, 0xC0, 0xEF, 0xBE] + [UInt8](repeating: 0, count: 200), .unsupportedFormat,
        "lock file"
      ),
      (Array("hello".utf8), .unknownFormat, "not an LMDB file"), ([], .empty, "empty"),
    ]
    for (bytes, code, name) in cases {
      try DamageTrial.write(bytes, path)
      #expect { try PageSnapshot(path) } throws: { error in
        let error = error as? StoreError
        return error?.code == code && error?.message.contains(name) == true
      }
    }
    #expect { try PageSnapshot(environment.folder + "/missing") } throws: {
      ($0 as? StoreError)?.code == .missing
    }
    #expect { try PageSnapshot(environment.folder) } throws: {
      ($0 as? StoreError)?.code == .isFolder
    }
  }

  @Test(arguments: [8192, 8292])
  func `a file that ends early says what it needs and what it has`(size: Int) throws {
    let environment = try StockEnvironment()
    try environment.write { writer in
      let main = try writer.open(nil)
      try writer.put(main, Array("big".utf8), [UInt8](repeating: 0x7A, count: 20_000))
      try writer.put(main, Array("small".utf8), [1])
    }
    let path = environment.folder + "/other.mdb"
    try DamageTrial.write(Array(try DamageTrial.read(environment.path).prefix(size)), path)
    let text = "file ends at page 2, newest meta needs 8 pages (32768 bytes, have \(size))"
    let report = try PageCheck(PageFile(path), depth: .quick).run()
    #expect(report.findings.map(\.message) == [text])
    #expect(!report.isClean)
    #expect { try PageSnapshot(path) } throws: {
      ($0 as? StoreError)?.code == .truncated && ($0 as? StoreError)?.message == text
    }
  }

  @Test func `a file whose first meta page is destroyed is read from the second`() throws {
    let environment = try StockEnvironment()
    try environment.write { try $0.put(try $0.open(nil), [1], [2]) }
    var bytes = try DamageTrial.read(environment.path)
    for offset in 0..<4096 { bytes[offset] = 0xFF }
    let path = environment.folder + "/other.mdb"
    try DamageTrial.write(bytes, path)
    let snapshot = try PageSnapshot(path)
    #expect(
      try ([1] as [UInt8]).withUnsafeBytes {
        try snapshot.value($0, in: snapshot.main).map { Array($0) }
      } == [2]
    )
    let report = try PageCheck(PageFile(path), depth: .quick).run()
    #expect(report.findings.map(\.message) == ["meta page 0 is damaged"])
  }
}
