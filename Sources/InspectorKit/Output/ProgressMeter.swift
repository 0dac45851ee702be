import KuraCore

/// Shows on a terminal how far long work has come, with rate and estimate.
///
/// Nothing is shown in the first second, nor where no person looks. The line is removed at the end,
/// so that what remains on the screen is the result.
final class ProgressMeter: Sendable {
  private struct State {
    var nextDisplay: Duration
    var isShown = false
    var isFinished = false
  }

  private let label: String
  private let unit: String
  private let columns: Int
  private let total: Int64?
  private let start: Duration
  private let now: @Sendable () -> Duration
  private let show: (@Sendable (String) -> Void)?
  private let state: Monitor<State>

  private static let delay: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(100)

  /// Makes a meter.
  ///
  /// - Parameters:
  ///   - label: What is done, such as a table's name.
  ///   - unit: What is counted, in the plural.
  ///   - columns: The width of the terminal.
  ///   - total: About how much there is to do, if that is known from the beginning.
  ///   - now: A clock that never goes back.
  ///   - show: Writes a text to the terminal; `nil` where standard error is none.
  init(
    _ label: String, unit: String, columns: Int = 80, total: Int64? = nil,
    now: @escaping @Sendable () -> Duration, show: (@Sendable (String) -> Void)?
  ) {
    self.label = label
    self.unit = unit
    self.columns = columns
    self.total = total
    self.now = now
    self.show = show
    start = now()
    state = Monitor(State(nextDisplay: start + ProgressMeter.delay))
  }

  /// Says how much is done; cheap enough for every thousand records.
  func update(_ done: Int64, of total: Int64? = nil) {
    guard let show else { return }
    let time = now()
    let isDue = state.withLock { state in
      guard !state.isFinished, time >= state.nextDisplay else { return false }
      state.nextDisplay = time + ProgressMeter.interval
      state.isShown = true
      return true
    }
    guard isDue else { return }
    let text = ProgressMeter.text(
      label: label, unit: unit, done: done, total: total ?? self.total, elapsed: time - start)
    // One column is left free: a full line would wrap, and the wrapped part could not be removed.
    show("\r" + TerminalWidth.cut(text, to: max(8, columns - 1)) + "\u{1B}[K")
  }

  /// Removes the line; later updates show nothing.
  func finish() {
    let wasShown = state.withLock { state in
      let wasShown = state.isShown
      state.isShown = false
      state.isFinished = true
      return wasShown
    }
    if wasShown { show?("\r\u{1B}[K") }
  }

  /// The line for people.
  static func text(
    label: String, unit: String, done: Int64, total: Int64?, elapsed: Duration
  ) -> String {
    let (seconds, attoseconds) = elapsed.components
    let time = Double(seconds) + Double(attoseconds) * 1e-18
    let rate = time > 0 ? Double(done) / time : 0
    var parts = [TerminalText.escaped(label)]
    // An estimate of the work that turned out too low says nothing.
    let total = total.flatMap { $0 > 0 && $0 >= done ? $0 : nil }
    if let total {
      parts.append("\(grouped(done)) of \(grouped(total)) \(unit)")
      parts.append("\(Int(Double(done) / Double(total) * 100)) %")
    } else {
      parts.append("\(grouped(done)) \(unit)")
    }
    parts.append("\(grouped(Int64(min(rate, 1e15)))) \(unit)/s")
    if let total, rate > 0 {
      parts.append("\(remaining(Double(total - done) / rate)) left")
    }
    return parts.joined(separator: "  ")
  }

  /// A number with a comma before every three digits.
  static func grouped(_ number: Int64) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  private static func remaining(_ seconds: Double) -> String {
    // More than a few days is no estimate any more.
    let whole = Int(min(max(0, seconds), 359_999).rounded(.up))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3600) h \(whole % 3600 / 60) min"
  }
}
