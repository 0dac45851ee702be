import Kura
import KuraCore
import KuraLMDB

/// `observe`: one event for each record that anybody changes, as it happens.
enum ObserveCommand {
  /// When the command ends by itself.
  private enum End {
    case never
    case count(Int)
    case time(Duration)

    init(_ text: String?) throws(StoreError) {
      guard let text else {
        self = .never
        return
      }
      if let count = Int(text), count > 0 {
        self = .count(count)
      } else if Int(text) == nil {
        self = .time(try OptionValues.duration(text, "--until"))
      } else {
        throw UsageError.make(
          "--until needs a number of events or a duration", hint: "such as 100 or 30s")
      }
    }
  }

  /// How long nothing is looked at when nothing happens, and after something has.
  private static let interval: (idle: Duration, busy: Duration) = (
    .milliseconds(25), .milliseconds(1)
  )

  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let end = try End(context.arguments.value("until"))
    let stream = try stream(context, end)
    guard context.path != "-" else {
      throw UsageError.make("standard input cannot be observed", hint: "name a file")
    }
    let condition = try context.arguments.value("where").map { text throws(StoreError) in
      try Condition(parsing: text)
    }
    let file = try open(context, condition)
    do throws(StoreError) {
      stream.commit = file.commit
      if context.arguments.has("initial") { try file.giveInitial(to: stream) }
      try stream.flush()
      context.note("observing \(context.path); Control-C ends it")
      try follow(file, stream, end, context)
    } catch {
      guard error.code != EventStream.finished else { return .done }
      // Control-C is how people end it.
      guard error.code != .cancelled else { return .interrupted }
      if error.code == .replaced || error.code.kind == .damaged {
        // The events before it are out, and so is why there are no more.
        try stream.lost(error)
      }
      throw error
    }
    return .done
  }

  private static func follow(
    _ file: any ObservedFile, _ stream: EventStream, _ end: End, _ context: CommandContext
  ) throws(StoreError) {
    var deadline: ContinuousClock.Instant?
    if case .time(let duration) = end { deadline = ContinuousClock.now + duration }
    var pause = interval.idle
    while true {
      try context.checkLimits()
      if try file.poll() {
        try file.give(to: stream)
        try stream.flush()
        pause = interval.busy
      } else {
        if let deadline, ContinuousClock.now >= deadline { return }
        try context.wait(min(pause, deadline.map { $0 - ContinuousClock.now } ?? pause))
        pause = min(pause * 2, interval.idle)
      }
    }
  }

  private static func stream(_ context: CommandContext, _ end: End) throws(StoreError)
    -> EventStream
  {
    let isText: Bool
    switch try context.format(
      default: context.terminal.isOutputTerminal ? .line : .ndjson)
    {
    case .ndjson: isText = false
    case .line, .list, .table: isText = true
    case let format:
      throw UsageError.make(
        "events cannot be written as \(format.rawValue)", hint: "use ndjson or line")
    }
    var most: Int?
    if case .count(let count) = end { most = count }
    return EventStream(
      context.bytes, isText: isText, isTerminal: context.terminal.isOutputTerminal,
      changedOnly: (context.arguments.value("columns") ?? (isText ? "changed" : "all"))
        == "changed",
      most: most)
  }

  private static func open(_ context: CommandContext, _ condition: Condition?) throws(StoreError)
    -> any ObservedFile
  {
    let engine = try context.open()
    let names = Array(context.arguments.positional.dropFirst()) + context.arguments.values("db")
    let path = engine.location.path ?? context.path
    guard engine.format == .lmdb else {
      context.closeFile()
      return try ObservedDatabase(path, names, condition, context)
    }
    let asEntries = engine is ForeignEngine || context.arguments.has("db")
    context.closeFile()
    return try ObservedEnvironment(path, names, asEntries: asEntries, condition, context)
  }
}
