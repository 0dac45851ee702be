import Foundation
import Kura
import Testing

/// The bytes are those of each format's own documentation or of files that its own program wrote.
@Suite("Recognising files by content")
struct FormatRecognitionTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func error(opening path: String) throws -> StoreError {
    try #require(throws: StoreError.self) {
      try EngineOpener.open(
        .file(path), options: EngineOptions(access: .readOnly), backends: Backends.default)
    }
  }

  private func error(for bytes: [UInt8], name: String = "file") throws -> StoreError {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    return try error(opening: folder.file(name))
  }

  /// Bytes at an offset of a page of zeros.
  private func page(_ bytes: [UInt8], at offset: Int, size: Int = 4096) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: size)
    page.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    return page
  }

  private static let magic: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]

  @Test(arguments: [
    (12, magic + [1, 0, 0, 0], "32-bit, little-endian, data version 1"),
    (24, magic + [2, 0, 0, 0], "64-bit, little-endian, data version 2"),
    (16, magic + [2, 0, 0, 0], "32-bit, little-endian, data version 2"),
    (16, magic.reversed() + [0, 0, 0, 1], "64-bit, big-endian, data version 1"),
  ])
  func `LMDB is named with its word size, byte order and version`(
    offset: Int, bytes: [UInt8], expected: String
  ) throws {
    let error = try error(for: page(bytes, at: offset))
    #expect(error.code == .unsupportedFormat)
    #expect(error.message.contains("LMDB"))
    #expect(error.message.contains(expected))
  }

  @Test func `the beginning of an LMDB file of this machine's kind is damaged, not unknown`() throws
  {
    #expect(try error(for: page(Self.magic + [1, 0, 0, 0], at: 16)).code == .damaged)
  }

  @Test func `a folder of LMDB is named as what its file is`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("env"), withIntermediateDirectories: false)
    let error = try error(
      for: page(Self.magic + [1, 0, 0, 0], at: 12), name: "env/data.mdb")
    #expect(error.message.contains("32-bit"))
    #expect(try self.error(opening: folder.file("env")).message == error.message)
    #expect(try self.error(opening: folder.path).code == .isFolder)
  }

  @Test func `other formats are named`() throws {
    let cases: [([UInt8], String)] = [
      // "T-DB", versions of both slots, reserved, the flag that selects slot 1.
      (page(Array("T-DB".utf8) + [23, 24, 0, 1], at: 16), "Realm database (file format 24)"),
      (page([0x37, 0x7F, 0x06, 0x82], at: 0), "write-ahead log"),
      (page([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], at: 0), "rollback journal"),
      (page([0x18, 0xE2, 0x2D, 0x00], at: 0, size: 32768), "shared memory"),
      (page([0xED, 0xDA, 0x0C, 0xED, 2], at: 16), "BoltDB"),
      (page([0x61, 0x15, 0x06, 0x00], at: 12), "Berkeley DB hash"),
      (page([0x00, 0x05, 0x31, 0x62], at: 12), "Berkeley DB B-tree"),
      (page([0xEF, 0xCD, 0xAB, 0x89], at: 4), "ESE"),
      (page(Array("Standard Jet DB".utf8), at: 4), "Access"),
      (page(Self.magic, at: 0), "lock file of an LMDB"),
      (page([3, 0x11, 0x4C, 0xEF, 0xBD, 0x9D, 0x65, 0x59], at: 20), "libmdbx"),
      (page([0x1F, 0x8B], at: 0), "gzip"),
      (Array("** This file contains an SQLite 2.1 database **".utf8), "SQLite 2"),
    ]
    for (bytes, name) in cases {
      let error = try error(for: bytes)
      #expect(error.code == .unsupportedFormat)
      #expect(error.message.contains(name))
    }
  }

  @Test func `what is no database says so`() throws {
    #expect(try error(for: Array("name,age\n".utf8)).code == .unknownFormat)
    #expect(try error(for: Array("name,age\n".utf8)).message.contains("text"))
    #expect(try error(for: [0, 1, 2, 3]).code == .unknownFormat)
    #expect(try error(for: Array("SQLite format 3\0".utf8) + [16, 0]).code == .truncated)
    #expect(try error(for: Array("SQLite f".utf8)).code == .truncated)
    #expect(try error(opening: folder.file("none")).code == .missing)
    #expect(try error(opening: "/dev/null").code == .notAFile)
    #expect(try error(opening: "").code == .missing)
    #expect(try error(opening: "a\0b").code == .missing)
  }

  @Test func `a named pipe is refused without waiting for its other end`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(try error(opening: folder.file("pipe")).code == .notAFile)
  }

  @Test func `even bytes look encrypted`() throws {
    var generator = SystemRandomNumberGenerator()
    let random = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(try error(for: random).code == .encrypted)
    let realm = page([6, 0, 0, 0] + random[0..<28] + [5, 0, 0, 0] + random[28..<56], at: 0)
    let error = try error(for: realm + random[0..<4096])
    #expect(error.code == .encrypted)
    #expect(error.message.contains("Realm"))
  }

  @Test func `an SQLite file of a later form says so`() throws {
    var header = page(Array("SQLite format 3\0".utf8) + [16, 0, 3, 3], at: 0)
    #expect(try error(for: header).code == .newerFormat)
    header[18] = 1
    header[19] = 1
    header[47] = 5
    #expect(try error(for: header).code == .newerFormat)
  }

  #if os(Linux)
    /// The POSIX locks on a file as the kernel lists them.
    private func lockCount(_ path: String) throws -> Int {
      var status = stat()
      try #require(stat(path, &status) == 0)
      return try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        .split(separator: "\n").count { $0.contains(":\(status.st_ino) ") }
    }

    @Test func `looking at a file that is open here drops none of its locks`() throws {
      let path = folder.file("dogs.db")
      let store = try Store.open(
        StoreConfiguration(at: .file(path), schema: SampleSchema.dogs()))
      try store.write { try $0.insert("Dog", ["name": "Rex"]) }
      #expect(link(path, folder.file("hard.db")) == 0)
      #expect(symlink(path, folder.file("soft.db")) == 0)
      let before = try lockCount(path)
      #expect(before > 0)
      for name in ["dogs.db", "hard.db", "soft.db"] {
        guard
          case .format(.sqlite) = try FormatRecognition.look(
            at: folder.file(name), backends: Backends.default)
        else {
          Issue.record("\(name) is not recognised")
          continue
        }
        #expect(try lockCount(path) == before)
      }
      let shared = try error(opening: path + "-shm")
      #expect(shared.message.contains("shared memory"))
      // What would happen otherwise.
      close(open(path, O_RDONLY))
      #expect(try lockCount(path) == 0)
    }
  #endif
}
