import KuraCore
import KuraLMDB

/// Reads the NDJSON that `dump` writes of LMDB files.
final class EntryJSONInput: EntryInput {
  private let reader: LineReader
  private let usualName: [UInt8]??
  private let codecs: (key: CodecForm?, value: CodecForm?)
  private let keepsOrder: Bool
  let mapSize: UInt64 = 0
  /// The databases by their names as the text has them, so that few lines look further.
  private var databases: [String: EnvironmentBuilder.Database] = [:]

  /// Prepares reading.
  ///
  /// - Parameters:
  ///   - name: The database of entries that name none; the one inside is `nil` for the main database.
  ///   - codecs: What texts and numbers of keys and values are.
  init(
    _ reader: LineReader, name: [UInt8]??, codecs: (key: CodecForm?, value: CodecForm?),
    keepsOrder: Bool
  ) {
    self.reader = reader
    usualName = name
    self.codecs = codecs
    self.keepsOrder = keepsOrder
  }

  func load(into builder: EnvironmentBuilder) throws(StoreError) {
    while let line = try reader.next() {
      var space = JSONText(line)
      space.skipSpace()
      if space.next == nil { continue }
      try read(line, builder)
    }
  }

  /// The members of a line that mean something.
  private struct Members {
    var name: UnsafeRawBufferPointer?
    var key: UnsafeRawBufferPointer?
    var value: UnsafeRawBufferPointer?
    var flags: UnsafeRawBufferPointer?
  }

  private func read(_ line: UnsafeRawBufferPointer, _ builder: EnvironmentBuilder)
    throws(StoreError)
  {
    guard UTF8Validation.isValid(line) else {
      throw EntryInputs.wrong(reader, "the line is not UTF-8")
    }
    var members = Members()
    let isObject = JSONMembers.read(line) { name, value in
      switch name {
      case "db": members.name = value
      case "key": members.key = value
      case "value": members.value = value
      case "flags": members.flags = value
      default: break
      }
    }
    guard isObject else {
      throw EntryInputs.wrong(
        reader, "the line is no JSON object", expected: #"{"db":…,"key":…,"value":…}"#)
    }
    let name = try databaseName(members.name)
    if let flags = members.flags {
      _ = try database(name, try readFlags(flags), builder)
      guard members.key != nil || members.value != nil else { return }
    }
    guard let key = members.key, let value = members.value else {
      throw EntryInputs.wrong(
        reader, "the line has no \(members.key == nil ? "key" : "value")",
        expected: #"{"db":…,"key":…,"value":…}"#)
    }
    let database = try self.database(name, nil, builder)
    let keyBytes = try bytes(
      key, "key", codecs.key, isNative: database.flags.contains(.integerKey))
    let valueBytes = try bytes(
      value, "value", codecs.value, isNative: database.flags.contains(.integerDup))
    try EntryInputs.entry(reader) { () throws(StoreError) in
      try keyBytes.withBytes { key throws(StoreError) in
        try valueBytes.withBytes { value throws(StoreError) in
          try builder.add(key, value, to: database)
        }
      }
    }
  }

  private func databaseName(_ value: UnsafeRawBufferPointer?) throws(StoreError) -> String {
    guard let value else {
      guard let usualName else {
        throw EntryInputs.wrong(
          reader, "the line has no db", expected: "a db, or --db for all lines")
      }
      return DatabaseName.shown(usualName)
    }
    guard let name = JSONMembers.string(value) else {
      throw EntryInputs.wrong(reader, "the name of the database is no text")
    }
    return String(decoding: name, as: UTF8.self)
  }

  private func database(
    _ name: String, _ flags: DatabaseFlags?, _ builder: EnvironmentBuilder
  ) throws(StoreError) -> EnvironmentBuilder.Database {
    if let database = databases[name], flags == nil || flags == database.flags { return database }
    let database = try EntryInputs.entry(reader) { () throws(StoreError) in
      try builder.database(try DatabaseName.parse(name), flags ?? [], keepsOrder: keepsOrder)
    }
    databases[name] = database
    return database
  }

  private func readFlags(_ value: UnsafeRawBufferPointer) throws(StoreError) -> DatabaseFlags {
    var flags: DatabaseFlags = []
    let isList = JSONMembers.elements(value) { element in
      guard let name = JSONMembers.string(element),
        let flag = DatabaseFlags(named: String(decoding: name, as: UTF8.self))
      else { return false }
      flags.insert(flag)
      return true
    }
    guard isList else {
      throw EntryInputs.wrong(
        reader, "the flags are none of LMDB's",
        expected: "a list of " + DatabaseFlags.known.names.joined(separator: ", "))
    }
    return flags
  }

  // MARK: Values

  /// The bytes that a value of the lossless form, or of a codec, means.
  private func bytes(
    _ value: UnsafeRawBufferPointer, _ what: String, _ form: CodecForm?, isNative: Bool
  ) throws(StoreError) -> [UInt8] {
    switch value.first {
    case UInt8(ascii: "\""):
      guard let text = JSONMembers.string(value) else {
        throw EntryInputs.wrong(reader, "the \(what) has half of a character pair")
      }
      guard let form, form != .auto, form != .utf8 else { return text }
      let words = String(decoding: text, as: UTF8.self)
      if let bytes = KeyLiteral.bytes(words[...], form) { return bytes }
    case UInt8(ascii: "{"):
      if form == .json { return Array(value) }
      if let bytes = object(value, isNative: isNative) { return bytes }
    case UInt8(ascii: "["):
      if form == .json { return Array(value) }
    default:
      let text = String(decoding: value, as: UTF8.self)
      if form == .json { return Array(value) }
      let number = form ?? (isNative ? CodecForm("u64ne") : nil)
      if let number, let bytes = KeyLiteral.bytes(text[...], number) { return bytes }
      guard form == nil, !isNative else { break }
      throw EntryInputs.wrong(
        reader, "the \(what) is a number, and the database has no flag for numbers",
        expected: "a line with the database's flags before, or --\(what)-as")
    }
    throw EntryInputs.wrong(
      reader, "the \(what) has no form that means bytes",
      expected: #"a text, {"$base64":true,"encoded":…}, {"$hex":…} or {"$json":…}"#)
  }

  /// The bytes of an object with a `$` in the name of its first member.
  private func object(_ value: UnsafeRawBufferPointer, isNative: Bool) -> [UInt8]? {
    var result: [UInt8]?
    var isBase64 = false
    var encoded: UnsafeRawBufferPointer?
    let isObject = JSONMembers.read(value) { name, value in
      switch name {
      case "$base64": isBase64 = value.elementsEqual("true".utf8)
      case "encoded": encoded = value
      case "$hex":
        result = JSONMembers.string(value).flatMap { text in
          StoredValue.bytes(hex: String(decoding: text, as: UTF8.self))
        }
      case "$json": result = Array(value)
      case "$u32":
        result = CodecForm("u32ne").flatMap {
          KeyLiteral.bytes(String(decoding: value, as: UTF8.self)[...], $0)
        }
      case "$numberDecimal" where isNative:
        result = CodecForm("u64ne").flatMap { form in
          JSONMembers.string(value).flatMap {
            KeyLiteral.bytes(String(decoding: $0, as: UTF8.self)[...], form)
          }
        }
      default: break
      }
    }
    guard isObject else { return nil }
    if isBase64, let encoded, let text = JSONMembers.string(encoded) { return Base64.bytes(text) }
    return result
  }
}

extension DatabaseFlags {
  /// The flag of a name as `mdb_dump` writes it.
  init?(named name: String) {
    let all: [DatabaseFlags] = [
      .reverseKey, .dupSort, .integerKey, .dupFixed, .integerDup, .reverseDup,
    ]
    guard let flag = all.first(where: { $0.names == [name] }) else { return nil }
    self = flag
  }
}
