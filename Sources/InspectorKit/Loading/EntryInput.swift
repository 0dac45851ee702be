import KuraCore
import KuraLMDB

/// Reads entries of databases from a text, in order.
protocol EntryInput: AnyObject {
  /// The size of the map that the text records, 0 for none.
  var mapSize: UInt64 { get }
  /// Gives what the text has.
  ///
  /// - Throws: ``EntryInputs/wrong(_:_:expected:)`` with the number of the line, and what the builder
  ///   throws.
  func load(into builder: EnvironmentBuilder) throws(StoreError)
}

/// What the inputs share.
enum EntryInputs {
  /// The error for a line that cannot be.
  static func wrong(_ reader: LineReader, _ what: String, expected: String? = nil) -> StoreError {
    StoreError(
      UsageError.code, "line \(reader.number): \(what)", path: reader.name, expected: expected,
      suggestion: "nothing was loaded; correct the input")
  }

  /// Does something to an entry of a line, and puts the line's number into errors of the entry.
  static func entry<R>(_ reader: LineReader, _ body: () throws(StoreError) -> R) throws(StoreError)
    -> R
  {
    do {
      return try body()
    } catch {
      switch error.code {
      case .duplicateKey, .notStorable, .wrongKey:
        throw wrong(reader, error.message, expected: error.expected)
      default: throw error
      }
    }
  }
}

/// The text form of LMDB's `mdb_dump` and Berkeley DB's `db_dump`.
final class MDBTextInput: EntryInput {
  private let reader: LineReader
  private let usualName: [UInt8]??
  private let keepsOrder: Bool
  private let note: (String) -> Void
  private(set) var mapSize: UInt64 = 0
  private var key: [UInt8] = []
  private var value: [UInt8] = []

  /// Prepares reading.
  ///
  /// - Parameter name: The database into which all entries go, if one was named; the one inside is
  ///   `nil` for the main database.
  init(
    _ reader: LineReader, name: [UInt8]??, keepsOrder: Bool, note: @escaping (String) -> Void
  ) {
    self.reader = reader
    usualName = name
    self.keepsOrder = keepsOrder
    self.note = note
  }

  func load(into builder: EnvironmentBuilder) throws(StoreError) {
    var isEmpty = true
    while let header = try readHeader() {
      isEmpty = false
      let database = try EntryInputs.entry(reader) { () throws(StoreError) in
        try builder.database(usualName ?? header.name, header.flags, keepsOrder: keepsOrder)
      }
      try readEntries(header, database, builder)
    }
    guard !isEmpty else {
      throw EntryInputs.wrong(reader, "the input has no database", expected: "VERSION=3")
    }
  }

  private struct Header {
    var name: [UInt8]?
    var flags: DatabaseFlags = []
    var isPrintable = false
  }

  private static let flags: [String: DatabaseFlags] = [
    "reversekey": .reverseKey, "dupsort": .dupSort, "integerkey": .integerKey,
    "dupfixed": .dupFixed, "integerdup": .integerDup, "reversedup": .reverseDup,
    "duplicates": .dupSort,
  ]

  /// Reads the lines up to `HEADER=END`; `nil` at the end of the input.
  private func readHeader() throws(StoreError) -> Header? {
    var header = Header()
    var isBegun = false
    while let line = try reader.next() {
      if line.isEmpty, !isBegun { continue }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
        throw EntryInputs.wrong(reader, "a line of a header has no =", expected: "KEYWORD=VALUE")
      }
      let keyword = String(decoding: line[..<equals], as: UTF8.self)
      let bytes = Array(line[(equals + 1)...])
      let text = String(decoding: bytes, as: UTF8.self)
      if !isBegun {
        guard keyword == "VERSION", text == "3" || text == "2" else {
          throw EntryInputs.wrong(
            reader, "the input is no dump of mdb_dump", expected: "VERSION=3")
        }
        isBegun = true
        continue
      }
      switch keyword {
      case "HEADER" where text == "END": return header
      case "format":
        guard text == "bytevalue" || text == "print" else {
          throw EntryInputs.wrong(
            reader, "the format \"\(text)\" is not known", expected: "bytevalue or print")
        }
        header.isPrintable = text == "print"
      case "database": header.name = bytes
      case "mapsize": mapSize = max(mapSize, UInt64(text) ?? 0)
      case "type" where text != "btree":
        throw EntryInputs.wrong(reader, "LMDB has no databases of the type \"\(text)\"")
      case "type", "mapaddr", "maxreaders", "db_pagesize": break
      default:
        guard let flag = MDBTextInput.flags[keyword] else {
          note("line \(reader.number): the keyword \(keyword) means nothing to LMDB")
          continue
        }
        if text == "1" { header.flags.insert(flag) }
      }
    }
    guard isBegun else { return nil }
    throw EntryInputs.wrong(reader, "the input ends inside a header", expected: "HEADER=END")
  }

  private func readEntries(
    _ header: Header, _ database: EnvironmentBuilder.Database, _ builder: EnvironmentBuilder
  ) throws(StoreError) {
    while let line = try reader.next() {
      if line.elementsEqual("DATA=END".utf8) { return }
      try read(line, header, into: &key)
      guard let line = try reader.next(), !line.elementsEqual("DATA=END".utf8) else {
        throw EntryInputs.wrong(reader, "a key has no value")
      }
      try read(line, header, into: &value)
      try EntryInputs.entry(reader) { () throws(StoreError) in
        try key.withBytes { key throws(StoreError) in
          try value.withBytes { value throws(StoreError) in
            try builder.add(key, value, to: database)
          }
        }
      }
    }
    throw EntryInputs.wrong(reader, "the input ends inside a database", expected: "DATA=END")
  }

  /// Reads a line of data, which begins with a space.
  private func read(_ line: UnsafeRawBufferPointer, _ header: Header, into bytes: inout [UInt8])
    throws(StoreError)
  {
    bytes.removeAll(keepingCapacity: true)
    guard line.first == UInt8(ascii: " ") else {
      throw EntryInputs.wrong(reader, "a line of data does not begin with a space")
    }
    let text = line[1...]
    if header.isPrintable {
      try readPrintable(text, into: &bytes)
    } else {
      guard text.count % 2 == 0 else {
        throw EntryInputs.wrong(reader, "the number of hexadecimal digits is odd")
      }
      bytes.reserveCapacity(text.count / 2)
      var index = text.startIndex
      while index < text.endIndex {
        bytes.append(try byte(text, index))
        index += 2
      }
    }
  }

  /// Characters as they are; after a backslash two hexadecimal digits or another backslash.
  private func readPrintable(
    _ text: Slice<UnsafeRawBufferPointer>, into bytes: inout [UInt8]
  ) throws(StoreError) {
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] != UInt8(ascii: "\\") {
        bytes.append(text[index])
        index += 1
      } else if index + 1 < text.endIndex, text[index + 1] == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
        index += 2
      } else {
        guard index + 2 < text.endIndex else {
          throw EntryInputs.wrong(
            reader, "a backslash has nothing behind it",
            expected: #"\\ or two hexadecimal digits"#)
        }
        bytes.append(try byte(text, index + 1))
        index += 3
      }
    }
  }

  private func byte(_ text: Slice<UnsafeRawBufferPointer>, _ index: Int) throws(StoreError)
    -> UInt8
  {
    guard let high = MDBTextInput.digit(text[index]), let low = MDBTextInput.digit(text[index + 1])
    else { throw EntryInputs.wrong(reader, "a character is no hexadecimal digit") }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
