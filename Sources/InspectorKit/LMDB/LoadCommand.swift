import Kura
import KuraCore
import KuraLMDB

/// `load`: makes a new LMDB file of a dump.
enum LoadCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    let words = arguments.positional
    guard words.first != "-" else {
      throw UsageError.make("load makes a file, and - is none", hint: "name the file to make")
    }
    guard words.count <= 3, words.count < 3 || !arguments.has("db") else {
      throw UsageError.make("load has a word too many", hint: "load PATH [[NAME] FILE]")
    }
    let target = try target(context)
    let name = words.count == 3 ? words[1] : arguments.value("db")
    let usual = try name.map { text throws(StoreError) in try DatabaseName.parse(text) }
    let reader = try LineReader(words.count > 1 ? words[words.count - 1] : "-")
    let input = try input(reader, usual, context)
    let meter = context.progress("load", unit: "bytes")
    defer { meter.finish() }
    let builder = try EnvironmentBuilder(target, replaces: arguments.has("yes"))
    do {
      try input.load(into: builder)
      try context.checkLimits()
      try builder.finish(mapSize: input.mapSize > 0 ? input.mapSize : LoadCommand.usualMapSize)
    } catch {
      builder.abandon()
      throw error
    }
    try summary(builder, context)
    return .done
  }

  /// The map of a new file when the input says nothing: room to grow for who opens it as it is.
  private static let usualMapSize: UInt64 = 1 << 30

  /// The path of the file to make: in a folder its data file.
  ///
  /// - Throws: ``StoreError/Code/targetExists``, ``StoreError/Code/locked`` when the file to replace
  ///   is being read.
  private static func target(_ context: CommandContext) throws(StoreError) -> String {
    let path = EnvironmentBuilder.target(of: context.path)
    guard FileNaming.exists(path) else { return path }
    guard context.arguments.has("yes") else {
      throw StoreError(
        .targetExists, "the file exists already, and load makes a new one", path: path,
        suggestion: "name another file, or allow replacing it with --yes")
    }
    try EnvironmentBuilder.checkIsUnused(path)
    return path
  }

  private static func input(
    _ reader: LineReader, _ name: [UInt8]??, _ context: CommandContext
  ) throws(StoreError) -> any EntryInput {
    let arguments = context.arguments
    var format = arguments.value("format")
    if format == nil || format == "jsonl" {
      let line = try reader.next()
      guard let line else {
        throw EntryInputs.wrong(reader, "the input is empty", expected: "a dump as mdb or ndjson")
      }
      if format == nil { format = line.starts(with: "VERSION=".utf8) ? "mdb" : "ndjson" }
      reader.putBack(line)
    }
    let keepsOrder = arguments.has("append")
    switch format {
    case "mdb":
      return MDBTextInput(reader, name: name, keepsOrder: keepsOrder) { context.note($0) }
    case "ndjson", "jsonl":
      func form(_ option: String) throws(StoreError) -> CodecForm? {
        guard let text = arguments.value(option) else { return nil }
        guard let form = CodecForm(text), form == .auto || form == .json || form.canBeWritten else {
          throw UsageError.make(
            "--\(option) of load cannot be \"\(text)\"",
            hint: "utf8, hex, base64, json, uuid or a number such as u32be")
        }
        return form == .auto ? nil : form
      }
      return EntryJSONInput(
        reader, name: name, codecs: (try form("key-as"), try form("value-as")),
        keepsOrder: keepsOrder)
    default:
      throw UsageError.make(
        "load reads mdb and ndjson, not \(format ?? "")", hint: "leave --format out")
    }
  }

  private static func summary(_ builder: EnvironmentBuilder, _ context: CommandContext)
    throws(StoreError)
  {
    try context.bytes.append(
      "databases: \(builder.databaseCount)\nrecords: \(builder.entryCount)\n")
    try context.bytes.flush()
  }
}
