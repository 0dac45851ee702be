import Foundation
import Kura
import StoreFaults

/// The words of the command line that have to do with migrations.
enum MigratingMain {
  /// Does what the words say and exits; returns when they say something else.
  static func run(_ words: [String]) {
    guard words.count == 5 else { return }
    let format = StoreFormat(rawValue: words[1])
    do {
      if words[3] == "faults" {
        guard let sweep = FaultSweep(words[2], format, words[4]) else { return }
        try sweep.run()
        exit(0)
      }
      guard let count = Int64(words[4]) else { return }
      let store = Migrating(path: words[2], format: format, count: count)
      switch words[3] {
      case "make": try store.make()
      case "state": say("\(try store.state())")
      case "check": for finding in try store.findings() { say(finding) }
      case "migrate": try migrate(store)
      default: return
      }
      exit(0)
    } catch {
      say("error \(error)")
      exit(1)
    }
  }

  private static func migrate(_ store: Migrating) throws {
    say("ready")
    guard readLine() != nil else { return }
    say("open")
    let environment = ProcessInfo.processInfo.environment
    if let place = environment["KURA_KILL_AT"].flatMap({ Int($0) }) {
      faults_arm(FAULTS_KILL, place)
    } else {
      faults_arm(FAULTS_NONE, 0)
    }
    let began = ContinuousClock.now
    let hasMigrated = try store.migrate()
    try store.open()
    let time = (ContinuousClock.now - began).components
    let writes = faults_disarm()
    say(hasMigrated ? "migrated" : "current")
    say("writes \(writes)")
    // The wall's time counts what others do on the machine.
    say("processor \(Int(clock()) * 1000 / Int(CLOCKS_PER_SEC))")
    say("milliseconds \(time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000)")
  }
}
