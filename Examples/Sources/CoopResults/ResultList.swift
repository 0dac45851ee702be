import Foundation
import Kura

/// What a view of the results would have: the rows, the averages, and the two buttons.
struct ResultList {
  let store: Store

  /// The newest results first, with the averages above them, all of one moment.
  func show(_ title: String) async throws {
    let (results, golden, power) = try await store.read { transaction in
      let all = CoopResult.all
      return (
        try transaction.records(all.sorted { $0.playedAt.descending }.limit(3)),
        try transaction.average(all, of: { $0.goldenEggs }),
        try transaction.average(all, of: { $0.powerEggs })
      )
    }
    print("\(title)")
    print("  average: golden \(text(golden)), power \(text(power))")
    for result in results {
      print("  golden \(text(result.goldenEggs)), power \(text(result.powerEggs))")
    }
    if results.isEmpty { print("  no results") }
  }

  /// The button "add five": when this returns, the five are in the file.
  func addFive(first: Int) async throws {
    try await store.write { transaction in
      for number in first..<first + 5 {
        // One that was broken off has no power eggs; averages leave it out.
        try transaction.insert(
          CoopResult(
            goldenEggs: 10 * number, powerEggs: number.isMultiple(of: 4) ? nil : 100 * number,
            playedAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 3600)))
      }
    }
  }

  /// The button "delete all"; the result says how many there were.
  func deleteAll() async throws -> Int {
    try await store.write { try $0.deleteAll(CoopResult.self) }
  }

  private func text(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "–" }
  private func text(_ value: Int?) -> String { value.map(String.init) ?? "–" }
}
