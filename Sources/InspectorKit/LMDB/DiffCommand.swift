import Kura
import KuraCore
import KuraLMDB

/// `diff`: what differs between two LMDB files; exit code 1 when anything does.
enum DiffCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let arguments = context.arguments
    guard !arguments.has("schema") || !arguments.has("data") else {
      throw UsageError.make("--schema and --data exclude each other")
    }
    guard let old = try context.foreignLMDB(evenOfKura: true),
      let new = try context.otherLMDB(arguments.positional[1])
    else {
      throw StoreError(
        .unsupportedQuery, "diff compares LMDB files; SQLite files are not compared yet",
        path: context.path, suggestion: "compare two dumps")
    }
    let before = try old.lastingSnapshot()
    let after = try new.lastingSnapshot()
    let difference = SnapshotDifference(from: before, to: after)
    let pairs = try pairs(difference, before, after, context)
    let writer = try writer(context)
    var isEqual = true
    for pair in pairs {
      if !arguments.has("data"), try writer.database(pair) { isEqual = false }
      guard !arguments.has("schema") else { continue }
      try writer.begin(pair)
      var count = 0
      try difference.changes(from: pair.old?.tree, to: pair.new?.tree) {
        change throws(StoreError) in
        isEqual = false
        try writer.change(change)
        count += 1
        if count & 0x3FF == 0 { try context.checkLimits() }
      }
      try writer.endDatabase()
    }
    try context.bytes.flush()
    return isEqual ? .done : .negative
  }

  /// The databases of both files under one name, those asked for.
  private static func pairs(
    _ difference: SnapshotDifference, _ before: PageSnapshot, _ after: PageSnapshot,
    _ context: CommandContext
  ) throws(StoreError) -> [DiffPair] {
    let old = try before.foreignDatabases()
    let new = try after.foreignDatabases()
    let words = Array(context.arguments.positional.dropFirst(2)) + context.arguments.values("db")
    var wanted: Set<[UInt8]?> = []
    for word in words {
      let name = try DatabaseName.parse(word)
      guard (old + new).contains(where: { $0.rawName == name }) else {
        let hint = closestMatch(word, in: (old + new).map(\.name))
        throw StoreError(
          .unknownModel, "neither file has a database \"\(word)\"", path: context.path,
          suggestion: hint.map { "did you mean \"\($0)\"?" })
      }
      wanted.insert(name)
    }
    var pairs: [DiffPair] = []
    for database in old {
      pairs.append(DiffPair(database, new.first { $0.rawName == database.rawName }))
    }
    for database in new where !old.contains(where: { $0.rawName == database.rawName }) {
      pairs.append(DiffPair(nil, database))
    }
    // The main database is in every file, and counts when it has values.
    return pairs.filter { words.isEmpty || wanted.contains($0.rawName) }.map { pair in
      guard pair.rawName == nil else { return pair }
      return DiffPair(
        pair.old ?? before.mainDatabase, pair.new ?? after.mainDatabase)
    }
  }

  private static func writer(_ context: CommandContext) throws(StoreError) -> any DiffWriter {
    let form =
      context.arguments.value("as")
      ?? (["json", "ndjson"].contains(context.arguments.value("format")) ? "json" : "text")
    if context.arguments.has("summary") {
      return DiffSummaryWriter(context, asJSON: form == "json")
    }
    return form == "json" ? DiffJSONWriter(context) : DiffTextWriter(context)
  }
}

/// A database of one name in two files; `nil` where it is missing.
struct DiffPair {
  let old: ForeignDatabase?
  let new: ForeignDatabase?

  init(_ old: ForeignDatabase?, _ new: ForeignDatabase?) {
    self.old = old
    self.new = new
  }

  var name: String { old?.name ?? new?.name ?? "" }
  var rawName: [UInt8]? { old?.rawName ?? new?.rawName }
  /// What decides how keys and values are shown.
  var flags: DatabaseFlags { new?.flags ?? old?.flags ?? [] }
}
