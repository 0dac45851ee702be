import PlainC

/// One line of the result: two medians of the same work, and what their ratio should be.
struct Measurement {
  /// What the target says.
  enum Goal {
    /// The ratio is at most the target.
    case atMost
    /// `kura` alone is at most the target, as for memory.
    case atMostAbsolute
    /// `plain` takes at least so many times as long as `kura`.
    case timesAsFast
  }

  var name: String
  var plain: Double
  var kura: Double
  var target: Double?
  var unit = "ms"
  var note = ""
  var goal = Goal.atMost

  /// `kura` to `plain`; how many times as fast it is, where the target says so.
  var ratio: Double {
    let (over, under) = goal == .timesAsFast ? (plain, kura) : (kura, plain)
    return under > 0 ? over / under : 0
  }

  var isMet: Bool? {
    target.map { target in
      switch goal {
      case .atMost: ratio <= target
      case .atMostAbsolute: kura <= target
      case .timesAsFast: ratio >= target
      }
    }
  }

  var targetText: String {
    guard let target else { return "" }
    return switch goal {
    case .atMost: "≤ \(fixed(target, 2))"
    case .atMostAbsolute: "≤ \(fixed(target, 0)) \(unit)"
    case .timesAsFast: "≥ \(fixed(target, 2)) times as fast"
    }
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard let middle = sorted.dropFirst(sorted.count / 2).first else { return 0 }
  return sorted.count % 2 == 1 ? middle : (middle + sorted[sorted.count / 2 - 1]) / 2
}

/// What the names of workloads must contain to be measured; empty for all.
// Set once, before anything is measured, on one thread.
nonisolated(unsafe) var measuredWorkload = ""

/// Measures both sides in turns, so that whatever else the machine does falls on both.
///
/// It is processor time that counts, unless waiting is part of the work: others may use the machine.
///
/// Each side returns a checksum; a difference means that they did not do the same work.
func compare(
  _ name: String, rounds: Int, target: Double? = nil, isWall: Bool = false,
  plain: () throws -> Int64, kura: () throws -> Int64
) throws -> Measurement {
  var times: (plain: [Double], kura: [Double]) = ([], [])
  // The first round is done in any case: it makes what other workloads read.
  let rounds = measuredWorkload.isEmpty || name.hasPrefix(measuredWorkload) ? rounds : 1
  let clock = isWall ? plain_now_ms : plain_cpu_ms
  for round in 0..<rounds {
    func timed(_ body: () throws -> Int64) rethrows -> (time: Double, sum: Int64) {
      let start = clock()
      let sum = try body()
      return (clock() - start, sum)
    }
    let (first, second) =
      round % 2 == 0
      ? (try timed(plain), try timed(kura)) : swapped(try timed(kura), try timed(plain))
    guard first.sum == second.sum, first.sum >= 0 else {
      throw BenchmarkError("\(name): the sides say \(first.sum) and \(second.sum)")
    }
    times.plain.append(first.time)
    times.kura.append(second.time)
  }
  let result = Measurement(
    name: name, plain: median(times.plain), kura: median(times.kura), target: target,
    unit: isWall ? "ms" : "ms CPU")
  progress(result)
  return result
}

private func swapped<T>(_ first: T, _ second: T) -> (T, T) { (second, first) }

/// Runs a program to its end with its output in a file.
func run(_ command: [String], output: String) throws(BenchmarkError) -> plain_usage {
  var usage = plain_usage()
  let words = command.map { strdup($0) }
  defer { words.forEach { free($0) } }
  let code = plain_run(words + [nil], output, &usage)
  guard code == 0, usage.status == 0 else {
    throw BenchmarkError("\(command.joined(separator: " ")): exit \(usage.status), error \(code)")
  }
  return usage
}

func progress(_ measurement: Measurement) {
  let line =
    "\(measurement.name): \(fixed(measurement.plain, 1)), \(fixed(measurement.kura, 1)), "
    + "ratio \(fixed(measurement.ratio, 2))\n"
  plain_say(line)
}

/// A number with so many digits after the point.
func fixed(_ value: Double, _ digits: Int) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = Int64((value * scale).rounded())
  if digits == 0 { return String(scaled) }
  let whole = scaled / Int64(scale)
  let part = String(scaled % Int64(scale))
  return "\(whole)." + String(repeating: "0", count: digits - part.count) + part
}
