import PlainC

/// `store-inspect dump` against the C loop that formats the same bytes, both as processes.
struct DumpWorkloads {
  let arguments: Arguments
  let program: String
  let inspect: String
  let file: String

  func measure() throws -> [Measurement] {
    [
      try measure("csv", 1, target: 1.3, only: ""),
      try measure("ndjson", 2, target: 1.3, only: ""),
      // The tool's script has settings and the table's declaration as well; the rows are the work.
      try measure("sql", 3, target: nil, only: "INSERT INTO "),
    ].flatMap { $0 }
  }

  private func measure(_ format: String, _ code: Int, target: Double?, only: String) throws
    -> [Measurement]
  {
    let plainOutput = "\(file).plain.\(format)"
    let kuraOutput = "\(file).kura.\(format)"
    defer {
      remove(plainOutput)
      remove(kuraOutput)
    }
    let plainCommand = [program, "--plain-dump", file, plainOutput, "\(code)"]
    let kuraCommand = [inspect, "dump", file, "person", "--format", format]
    var plain: [plain_usage] = []
    var kura: [plain_usage] = []
    for round in 0..<arguments.rounds {
      if round % 2 == 0 { plain.append(try run(plainCommand, output: "/dev/null")) }
      kura.append(try run(kuraCommand, output: kuraOutput))
      if round % 2 == 1 { plain.append(try run(plainCommand, output: "/dev/null")) }
    }
    let differences = plain_differences(plainOutput, kuraOutput, only)
    guard differences >= 0, differences == 0 || format == "sql" else {
      throw BenchmarkError("dump \(format): \(differences) lines differ")
    }
    // SQLite does not read every shortest decimal exactly; such reals are written as a quotient.
    let note =
      differences == 0 ? "same bytes" : "same bytes but \(differences) reals that SQLite misreads"
    let time = Measurement(
      name: "dump \(format)", plain: median(plain.map(\.cpu_ms)), kura: median(kura.map(\.cpu_ms)),
      target: target, unit: "ms CPU", note: note)
    progress(time)
    let memory = Measurement(
      name: "dump \(format), resident", plain: median(plain.map(\.resident_mb)),
      kura: median(kura.map(\.resident_mb)), target: 20, unit: "MB",
      goal: .atMostAbsolute)
    return [time, memory]
  }

  /// Start-up, against the least that a process can do.
  func measureStart() throws -> Measurement {
    var plain: [Double] = []
    var kura: [Double] = []
    for _ in 0..<arguments.spawns {
      plain.append(try run(["/bin/true"], output: "/dev/null").wall_ms)
      kura.append(try run([inspect, "version"], output: "/dev/null").wall_ms)
    }
    let result = Measurement(
      name: "start (version)", plain: median(plain), kura: median(kura), target: 10,
      note: "C side is /bin/true", goal: .atMostAbsolute)
    progress(result)
    return result
  }
}
