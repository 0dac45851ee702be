import KuraCore
import Testing

@testable import InspectorKit

@Suite("Progress")
struct ProgressMeterTests {
  /// A clock that the test moves and a terminal that remembers.
  final class Scene: Sendable {
    let time = Monitor(Duration.zero)
    let shown = Monitor<[String]>([])
    var texts: [String] { shown.withLock { $0 } }
    func move(to moment: Duration) { time.withLock { $0 = moment } }
    func meter(columns: Int = 80) -> ProgressMeter {
      ProgressMeter(
        "people", unit: "rows", columns: columns, now: { self.time.withLock { $0 } },
        show: { text in self.shown.withLock { $0.append(text) } })
    }
  }

  @Test("work under a second shows nothing and removes nothing")
  func shortWork() {
    let scene = Scene()
    let meter = scene.meter()
    scene.move(to: .milliseconds(999))
    meter.update(10, of: 20)
    meter.finish()
    #expect(scene.texts.isEmpty)
  }

  @Test("long work shows amount, share, rate and rest, at most ten times a second")
  func longWork() {
    let scene = Scene()
    let meter = scene.meter()
    scene.move(to: .seconds(2))
    meter.update(412_000, of: 1_000_000)
    meter.update(413_000, of: 1_000_000)
    scene.move(to: .milliseconds(2_100))
    meter.update(430_000)
    #expect(
      scene.texts == [
        "\rpeople  412,000 of 1,000,000 rows  41 %  206,000 rows/s  3 s left\u{1B}[K",
        "\rpeople  430,000 rows  204,761 rows/s\u{1B}[K",
      ])
  }

  @Test("the end removes the line once, and nothing is shown after it")
  func end() {
    let scene = Scene()
    let meter = scene.meter()
    scene.move(to: .seconds(5))
    meter.update(1)
    meter.finish()
    meter.finish()
    scene.move(to: .seconds(9))
    meter.update(2)
    #expect(scene.texts.count == 2)
    #expect(scene.texts.last == "\r\u{1B}[K")
  }

  @Test("a line is narrower than the terminal", arguments: [10, 20, 40])
  func narrow(_ columns: Int) {
    let scene = Scene()
    let meter = scene.meter(columns: columns)
    scene.move(to: .seconds(3))
    meter.update(1_000_000, of: 9_000_000)
    let line = scene.texts.first?.dropFirst().dropLast(3) ?? ""
    #expect(TerminalWidth.of(String(line)) <= columns - 1)
  }

  @Test("a total that proves too low is left out")
  func lowTotal() {
    let text = ProgressMeter.text(
      label: "t", unit: "pages", done: 30, total: 20, elapsed: .seconds(10))
    #expect(text == "t  30 pages  3 pages/s")
  }

  @Test("a hostile label reaches the terminal escaped")
  func label() {
    let text = ProgressMeter.text(
      label: "a\u{1B}[31m", unit: "rows", done: 1, total: nil, elapsed: .seconds(1))
    #expect(!text.contains("\u{1B}"))
  }
}
