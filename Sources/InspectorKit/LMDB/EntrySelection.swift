import Kura
import KuraCore
import KuraLMDB

/// The databases and keys that a command line chooses in an LMDB file.
struct EntrySelection {
  /// Each database with its part and how its keys and values are shown.
  struct Part {
    let database: ForeignDatabase
    let range: EntryRange
    let keys: EntryCodec
    let values: EntryCodec
  }

  /// The databases in the order of the command line, or of the file.
  let databases: [ForeignDatabase]
  /// Whether some were named.
  let isNamed: Bool
  private let arguments: ParsedArguments

  /// Finds the databases that are named by `--db`, `--model` and words.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` with a suggestion.
  init(
    _ arguments: ParsedArguments, words: some Sequence<String>, _ all: [ForeignDatabase],
    path: String
  ) throws(StoreError) {
    self.arguments = arguments
    let names = Array(words) + arguments.values("db") + arguments.values("model")
    isNamed = !names.isEmpty
    guard isNamed else {
      databases = all
      return
    }
    var found: [ForeignDatabase] = []
    for name in names {
      let raw = try DatabaseName.parse(name)
      guard let database = all.first(where: { $0.rawName == raw }) else {
        throw EntrySelection.unknown(name, all, path)
      }
      if !found.contains(where: { $0.rawName == raw }) { found.append(database) }
    }
    databases = found
  }

  /// The error for a name that is none.
  private static func unknown(_ name: String, _ all: [ForeignDatabase], _ path: String)
    -> StoreError
  {
    let names = all.map(\.name)
    let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
    return StoreError(
      .unknownModel, "there is no database \"\(name)\"", path: path,
      suggestion: closestMatch(name, in: names).map { "did you mean \"\($0)\"?" }
        ?? "there are: " + names.prefix(8).joined(separator: ", ") + rest)
  }

  /// Whether only some of the keys are chosen.
  var isPartial: Bool {
    ["from", "to", "prefix", "after", "limit", "where"].contains(where: arguments.has)
  }

  /// A database's part.
  ///
  /// - Throws: What codecs and key literals throw.
  func part(_ database: ForeignDatabase, _ snapshot: PageSnapshot) throws(StoreError) -> Part {
    let keys = try codec("key-as", isNative: database.flags.contains(.integerKey))
    let values = try codec("value-as", isNative: database.flags.contains(.integerDup))
    var range = EntryRange()
    range.from = try key("from", database, keys, snapshot)
    range.to = try key("to", database, keys, snapshot)
    range.prefix = try key("prefix", database, keys, snapshot)
    range.after = try key("after", database, keys, snapshot)
    range.isReversed = arguments.has("reverse")
    return Part(database: database, range: range, keys: keys, values: values)
  }

  private func codec(_ option: String, isNative: Bool) throws(StoreError) -> EntryCodec {
    guard let name = arguments.value(option) else { return EntryCodec(isNative: isNative) }
    return try EntryCodec(name, "--" + option, isNative: isNative)
  }

  private func key(
    _ option: String, _ database: ForeignDatabase, _ codec: EntryCodec, _ snapshot: PageSnapshot
  ) throws(StoreError) -> [UInt8]? {
    guard let text = arguments.value(option) else { return nil }
    return try EntrySelection.key(text, database, codec, snapshot)
  }

  /// The bytes of a key literal for a database: where keys are numbers of the machine, a number is one.
  static func key(
    _ text: String, _ database: ForeignDatabase, _ codec: EntryCodec, _ snapshot: PageSnapshot
  ) throws(StoreError) -> [UInt8] {
    if codec.isAuto, let tree = database.tree, tree.record.flags.contains(.integerKey) {
      let size = try snapshot.integerKeySize(tree)
      let form = CodecForm("u\(size * 8)ne")
      if let bytes = form.flatMap({ KeyLiteral.bytes(text[...], $0) }) { return bytes }
    }
    return try KeyLiteral.bytes(text, usual: codec.isAuto ? nil : codec.form)
  }
}
