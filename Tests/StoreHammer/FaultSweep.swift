import Foundation
import Kura
import StoreFaults

/// What `store-hammer FORMAT PATH faults KIND` does: it migrates a small store again and again, and
/// lets each write of the migration fail once, from the first to the last.
struct FaultSweep {
  let folder: String
  let store: Migrating
  let kind: faults_kind

  init?(_ path: String, _ format: StoreFormat, _ kind: String) {
    let kinds: [String: faults_kind] = [
      "full": FAULTS_FULL, "cut": FAULTS_CUT, "error": FAULTS_ERROR, "broken": FAULTS_BROKEN,
    ]
    guard let kind = kinds[kind] else { return nil }
    self.kind = kind
    folder = (path as NSString).deletingLastPathComponent
    store = Migrating(path: path, format: format, count: 12, backup: .beforeMigrating(keep: 2))
  }

  /// Says of each write what became of the migration, `writes NUMBER` in the end.
  func run() throws {
    // The process lives on, so that nothing depends on what reaches the disk.
    faults_skip_syncs()
    try clear()
    try store.make()
    let fresh = try Data(contentsOf: URL(fileURLWithPath: store.path))
    var number = 0
    while true {
      number += 1
      try clear()
      try fresh.write(to: URL(fileURLWithPath: store.path))
      faults_arm(kind, number)
      let error = migrate()
      let writes = faults_disarm()
      guard number <= writes else { return say("writes \(writes)") }
      let call = String(cString: faults_call())
      let left = try judge(error)
      // The fault is over: the program starts again.
      _ = try store.migrate()
      try store.open()
      let again = try store.state()
      let findings = try store.findings()
      let isWell = again == .new && findings.isEmpty && (strays.isEmpty || call == "unlink")
      say("\(number) \(call): \(left), \(isWell ? "then new" : "\(again) \(findings) \(strays)")")
    }
  }

  private func migrate() -> (any Error)? {
    do {
      _ = try store.migrate()
      return nil
    } catch {
      return error
    }
  }

  /// Holds what the migration threw against what it left.
  private func judge(_ error: (any Error)?) throws -> String {
    let state = try store.state()
    guard let error else {
      // What comes after the commit, such as tidying up, may fail without harm.
      return state == .new ? "new" : "no error, \(state)"
    }
    guard let error = error as? StoreError else { return "an error of type \(type(of: error))" }
    let mayBe: [StoreError.Code: Set<String>] = [
      .diskFull: ["old"], .ioError: ["old"], .backupFailed: ["old"],
      .commitOutcomeUnknown: ["old", "new"],
    ]
    guard mayBe[error.code]?.contains("\(state)") == true else { return "\(error), \(state)" }
    return "\(error.code.rawValue), \(state)"
  }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private func clear() throws {
    for file in files { try FileManager.default.removeItem(atPath: folder + "/" + file) }
  }

  /// Files that neither the store nor its backups are.
  private var strays: [String] {
    let own = ["", "-wal", "-shm", "-lock"].map { (store.path as NSString).lastPathComponent + $0 }
    let backup = (store.path as NSString).lastPathComponent + ".backup-"
    return files.filter { !own.contains($0) && !($0.hasPrefix(backup) && $0.hasSuffix("-v1")) }
  }
}
