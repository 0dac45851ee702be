import PlainC

/// Measurements whose two sides are the same ones.
struct Section {
  var title: String
  /// What the columns of the two sides are called.
  var sides: (String, String)
  var measurements: [Measurement]

  var table: String {
    var lines = [
      "| workload | \(sides.0) | \(sides.1) | ratio | target | |", "|---|---:|---:|---:|---:|---|",
    ]
    for item in measurements {
      let digits = item.plain < 10 ? 2 : 0
      let verdict = item.isMet.map { $0 ? "met" : "missed" } ?? ""
      lines.append(
        "| \(item.name) | \(fixed(item.plain, digits)) \(item.unit) "
          + "| \(fixed(item.kura, digits)) \(item.unit) | \(fixed(item.ratio, 2)) "
          + "| \(item.targetText) "
          + "| \([verdict, item.note].filter { !$0.isEmpty }.joined(separator: ", ")) |")
    }
    return "## \(title)\n\n" + lines.joined(separator: "\n")
  }
}

/// The result as tables, for people and for `docs/performance.md`.
struct Report {
  let arguments: Arguments
  let sections: [Section]

  var tables: String { sections.map(\.table).joined(separator: "\n\n") }

  var markdown: String {
    """
    # Performance

    Written by `make bench`; do not edit. Both sides ran in turns within one run, \(arguments.rounds) rounds, medians.
    Times of work inside the process and of dumps are processor time ("CPU"), others are the wall's; absolute times say
    how busy the machine was, the ratio is what can be compared. The C side is
    `Benchmarks/Sources/PlainC`: for SQLite one prepared statement and a loop over a table as a C programmer declares it,
    for LMDB a cursor over records of Kura's own layout, whose texts it checks to be UTF-8; strings and rows are allocated
    where Kura allocates them, doubles printed by `std::to_chars`. Dumps and starts are measured as processes.

    - rows: \(arguments.rows) of {id, name of 17 bytes, age, weight, owner or null}; point reads: \(arguments.pointReads)
    - machine: \(String(cString: plain_machine()))
    - SQLite \(String(cString: plain_sqlite_version())), \(String(cString: plain_lmdb_version())), date \(arguments.date)
    - command: `kura-bench \(arguments.commandLine)`

    \(tables)

    """
  }
}
