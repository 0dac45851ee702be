import Kura
import KuraCore
import KuraLMDB

/// `stats`: how an LMDB file uses its pages, and the sizes of its keys and values.
enum StatsCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    guard let file = try context.foreignLMDB(evenOfKura: true) else {
      throw StoreError(
        .unsupportedQuery, "stats describes LMDB files; SQLite files are not described yet",
        path: context.path, suggestion: "use info, or sqlite3_analyzer")
    }
    let statistics = try read(file, context)
    let chosen = try choose(statistics, context)
    let usual: OutputFormat = context.terminal.isOutputTerminal ? .line : .json
    switch try context.format(default: usual) {
    case .json, .ndjson: try StatisticsJSON.write(statistics, chosen, to: context.bytes)
    case .table, .list, .line, .csv, .tsv, .markdown, .html, .sql, .count, .none:
      try StatisticsText(context).write(statistics, chosen)
    }
    try context.bytes.flush()
    for fault in statistics.faults.prefix(10) { context.note(fault) }
    guard statistics.faults.isEmpty else {
      throw StoreError(
        .damaged, "the file is damaged; the numbers are of what could be read", path: context.path,
        suggestion: "check the file with store-inspect check")
    }
    return .done
  }

  private static func read(_ file: ForeignEngine, _ context: CommandContext) throws(StoreError)
    -> PageStatistics
  {
    let meter = context.progress("stats", unit: "pages")
    defer { meter.finish() }
    let limits = context.limits
    return try PageStatistics(try file.lastingSnapshot(.salvage)) {
      done, total throws(StoreError) in
      if limits.mustStop() {
        throw limits.stopReason ?? StoreError(.cancelled, "interrupted")
      }
      meter.update(done, of: total)
    }
  }

  /// The databases asked for; without names those that have something.
  private static func choose(_ statistics: PageStatistics, _ context: CommandContext)
    throws(StoreError) -> [PageStatistics.Database]
  {
    let all = statistics.databases
    let words =
      Array(context.arguments.positional.dropFirst()) + context.arguments.values("db")
    guard !words.isEmpty else {
      // The main database of an environment of named ones has their records only.
      return all.count == 1
        ? all : all.filter { $0.name != nil || $0.tally.entries >= Int64(all.count) }
    }
    var chosen: [PageStatistics.Database] = []
    for word in words {
      let name = try DatabaseName.parse(word)
      guard let database = all.first(where: { $0.name == name }) else {
        let names = all.map { DatabaseName.shown($0.name) }
        throw StoreError(
          .unknownModel, "there is no database \"\(word)\"", path: context.path,
          suggestion: closestMatch(word, in: names).map { "did you mean \"\($0)\"?" })
      }
      chosen.append(database)
    }
    return chosen
  }
}

/// Statistics for programs.
enum StatisticsJSON {
  static func write(
    _ statistics: PageStatistics, _ databases: [PageStatistics.Database], to bytes: ByteWriter
  ) throws(StoreError) {
    var object = JSONObject(bytes)
    try object.integer("pageSize", Int64(statistics.pageSize))
    try object.integer("pages", statistics.pages)
    try object.integer("freePages", statistics.freePages)
    try object.integer("freeListPages", statistics.freeListPages)
    try object.list("databases", databases) { database, bytes throws(StoreError) in
      try write(database, statistics.pageSize, bytes)
    }
    try object.end()
    try bytes.append("\n")
  }

  private static func write(
    _ database: PageStatistics.Database, _ pageSize: Int, _ bytes: ByteWriter
  ) throws(StoreError) {
    let tally = database.tally
    var object = JSONObject(bytes)
    try object.text("name", DatabaseName.shown(database.name))
    try object.texts("flags", database.record.flags.names)
    try object.integer("entries", tally.entries)
    try object.integer("keys", tally.keys)
    try object.integer("depth", Int64(database.record.depth))
    try object.integer("branchPages", tally.branchPages)
    try object.integer("leafPages", tally.leafPages)
    try object.integer("overflowPages", tally.overflowPages)
    try object.integer("duplicatePages", tally.duplicatePages)
    try object.integer("bytes", tally.pages * Int64(pageSize))
    if let fill = tally.fill { try object.double("fill", (fill * 1000).rounded() / 1000) }
    try object.member("keySizes") { bytes throws(StoreError) in try write(tally.keySizes, bytes) }
    try object.member("valueSizes") { bytes throws(StoreError) in
      try write(tally.valueSizes, bytes)
    }
    try object.end()
  }

  private static func write(_ histogram: SizeHistogram, _ bytes: ByteWriter) throws(StoreError) {
    var object = JSONObject(bytes)
    try object.integer("count", histogram.count)
    try object.integer("sum", histogram.sum)
    if let least = histogram.smallest { try object.integer("least", Int64(least)) }
    if let greatest = histogram.greatest { try object.integer("greatest", Int64(greatest)) }
    let classes = histogram.counts.indices.filter { histogram.counts[$0] > 0 }
    try object.list("classes", classes) { number, bytes throws(StoreError) in
      let sizes = SizeHistogram.sizes(ofClass: number)
      var object = JSONObject(bytes)
      try object.integer("from", Int64(sizes.lowerBound))
      try object.integer("to", Int64(sizes.upperBound))
      try object.integer("count", histogram.counts[number])
      try object.end()
    }
    try object.end()
  }
}

/// Statistics for people, with bars.
struct StatisticsText {
  private let context: CommandContext

  init(_ context: CommandContext) { self.context = context }

  func write(_ statistics: PageStatistics, _ databases: [PageStatistics.Database])
    throws(StoreError)
  {
    try line("page size: \(statistics.pageSize) bytes")
    try line("pages: \(statistics.pages)")
    let share = bar(statistics.pages - statistics.freePages, of: statistics.pages)
    try line("free pages: \(statistics.freePages)  used \(share)")
    for database in databases { try write(database, statistics.pageSize) }
  }

  private func write(_ database: PageStatistics.Database, _ pageSize: Int) throws(StoreError) {
    let tally = database.tally
    let flags = database.record.flags
    try line("")
    try line(
      DatabaseName.shown(database.name)
        + (flags.isEmpty ? "" : "  (\(flags.names.joined(separator: ", ")))"))
    try line(
      "  entries: \(tally.entries)" + (tally.keys == tally.entries ? "" : ", keys: \(tally.keys)"))
    var pages =
      "  pages: \(tally.pages) (\(tally.branchPages) branch, \(tally.leafPages) leaf, "
      + "\(tally.overflowPages) overflow"
    if tally.duplicatePages > 0 { pages += ", \(tally.duplicatePages) of values" }
    try line(pages + "), depth: \(database.record.depth)")
    try line("  bytes: \(tally.pages * Int64(pageSize))")
    if let fill = tally.fill {
      try line(
        "  fill: \(Int((fill * 100).rounded())) % "
          + bar(Int64((fill * 1000).rounded()), of: 1000))
    }
    try histogram("key sizes", tally.keySizes)
    try histogram("value sizes", tally.valueSizes)
  }

  private func histogram(_ label: String, _ histogram: SizeHistogram) throws(StoreError) {
    guard let least = histogram.smallest, let greatest = histogram.greatest, histogram.count > 0
    else { return }
    let mean = Double(histogram.sum) / Double(histogram.count)
    try line(
      "  \(label): \(least) to \(greatest) bytes, \((mean * 10).rounded() / 10) on average")
    let classes = histogram.counts.indices.filter { histogram.counts[$0] > 0 }
    let most = histogram.counts.max() ?? 1
    let labels = classes.map { number in
      let sizes = SizeHistogram.sizes(ofClass: number)
      return sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound)–\(sizes.upperBound)"
    }
    let width = labels.map(\.count).max() ?? 0
    let countWidth = String(most).count
    for (number, label) in zip(classes, labels) {
      let count = histogram.counts[number]
      let text = String(count)
      try line(
        "    " + String(repeating: " ", count: width - label.count) + label + "  "
          + String(repeating: " ", count: countWidth - text.count) + text + "  "
          + bar(count, of: most))
    }
  }

  /// A bar of eighths of characters.
  private func bar(_ part: Int64, of whole: Int64) -> String {
    guard whole > 0, part > 0 else { return "" }
    let width = max(8, min(40, context.terminal.columns - 40))
    let eighths = max(1, Int((Double(part) / Double(whole) * Double(width * 8)).rounded()))
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  private func line(_ text: String) throws(StoreError) {
    try context.bytes.append(
      (context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text) + "\n")
  }
}

extension TreeTally {
  /// All pages of a database.
  fileprivate var pages: Int64 { branchPages + leafPages + overflowPages + duplicatePages }
}
