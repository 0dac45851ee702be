import PlainC

/// The result as a table, for people and for `docs/performance.md`.
struct Report {
  let arguments: Arguments
  let measurements: [Measurement]

  var table: String {
    var lines = [
      "| workload | plain C | Kura | ratio | target | |", "|---|---:|---:|---:|---:|---|",
    ]
    for item in measurements {
      let digits = item.plain < 10 ? 2 : 0
      var target = ""
      if let value = item.target {
        target = item.isAbsolute ? "≤ \(fixed(value, 0)) \(item.unit)" : "≤ \(fixed(value, 1))"
      }
      let verdict = item.isMet.map { $0 ? "met" : "missed" } ?? ""
      lines.append(
        "| \(item.name) | \(fixed(item.plain, digits)) \(item.unit) "
          + "| \(fixed(item.kura, digits)) \(item.unit) | \(fixed(item.ratio, 2)) | \(target) "
          + "| \([verdict, item.note].filter { !$0.isEmpty }.joined(separator: ", ")) |")
    }
    return lines.joined(separator: "\n")
  }

  var markdown: String {
    """
    # Performance

    Written by `make bench`; do not edit. Both sides ran in turns within one run, \(arguments.rounds) rounds, medians.
    Absolute times say how busy the machine was; the ratio is what can be compared. The C side is
    `Benchmarks/Sources/PlainC`: one prepared statement and a loop over a table as a C programmer declares it, strings and
    rows allocated where Kura allocates them, doubles printed by `std::to_chars`. Dumps and starts are measured as processes, dumps by their processor time.

    - rows: \(arguments.rows) of {id, name of 17 bytes, age, weight, owner or null}; point reads: \(arguments.pointReads)
    - machine: \(String(cString: plain_machine()))
    - SQLite \(String(cString: plain_sqlite_version())), date \(arguments.date)
    - command: `kura-bench \(arguments.commandLine)`

    \(table)

    """
  }
}
