import KuraTesting
import Testing

@testable import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct TimestampTests {
  /// Seconds from `date -u -d '…' +%s` of GNU coreutils.
  static let published: [(Int64, String)] = [
    (-62_167_219_200, "0000-01-01 00:00:00.000000000"),
    (-62_135_596_800, "0001-01-01 00:00:00.000000000"),
    (-11_644_473_600, "1601-01-01 00:00:00.000000000"),
    (-1, "1969-12-31 23:59:59.000000000"),
    (0, "1970-01-01 00:00:00.000000000"),
    (951_782_400, "2000-02-29 00:00:00.000000000"),
    (978_307_200, "2001-01-01 00:00:00.000000000"),
    (1_709_164_800, "2024-02-29 00:00:00.000000000"),
    (2_147_483_648, "2038-01-19 03:14:08.000000000"),
    (4_107_542_400, "2100-03-01 00:00:00.000000000"),
    (253_402_300_799, "9999-12-31 23:59:59.000000000"),
  ]

  @Test("seconds and text agree with GNU date", arguments: published)
  func agreesWithGNU(seconds: Int64, text: String) throws {
    let time = try #require(Timestamp(seconds: seconds))
    #expect(time.description == text)
    #expect(Timestamp(iso8601: text) == time)
    #expect(canonical(text) == time)
  }

  @Test("the lenient forms of ISO 8601 are read")
  func lenientForms() {
    let midnight: Int64 = 1_795_996_800  // date -u -d 2026-11-30 +%s
    let forms: [(String, Int64, UInt32)] = [
      ("2026-11-30", midnight, 0),
      ("2026-11-30 01:02", midnight + 3720, 0),
      ("2026-11-30T01:02:03", midnight + 3723, 0),
      ("2026-11-30t01:02:03z", midnight + 3723, 0),
      ("2026-11-30T01:02:03.5Z", midnight + 3723, 500_000_000),
      ("2026-11-30 01:02:03.000000001", midnight + 3723, 1),
      ("2026-11-30 01:02:03+09:00", midnight + 3723 - 32_400, 0),
      ("2026-11-30 01:02:03-0330", midnight + 3723 + 12_600, 0),
      ("2026-11-30 01:02:03+09", midnight + 3723 - 32_400, 0),
    ]
    for (text, seconds, nanoseconds) in forms {
      #expect(
        Timestamp(iso8601: text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds), "\(text)"
      )
    }
  }

  @Test(
    "what is no date or does not exist is refused",
    arguments: [
      "", "2026", "2026-11", "2026-13-01", "2026-00-10", "2026-11-31", "2026-11-00", "2025-02-29",
      "1900-02-29", "2100-02-29", "2026-11-30 24:00", "2026-11-30 23:60", "2026-11-30 23:59:60",
      "2026-11-30 ", "2026-11-30 01", "2026-11-30 01:02:03.", "2026-11-30 01:02:03.1234567890",
      "2026-11-30 01:02:03+", "2026-11-30 01:02:03+9", "2026-11-30 01:02:03+09:0",
      "2026-11-30 01:02:03+24:00", "2026-11-30  01:02", "26-11-30", "２０２６-11-30",
      "10000-01-01", "-001-01-01", "0000-01-01 00:00:00+00:01", "9999-12-31 23:59:59-00:01",
      "2026-11-30Z", "2026-11-30 01:02:03Zx", "today",
    ])
  func refused(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test(
    "the stored form is read strictly",
    arguments: [
      "2026-11-30T01:02:03.123456789", "2026-11-30 01:02:03.12345678Z",
      "2026-11-30 01:02:03.1234+0900", "2026-11-30 01:02:03.123+09:00",
      "2026-11-30 01:02:03,123456789", "2026-11-30 01:02:03.12345678", "2026-11-30",
      "2026-02-30 01:02:03.123456789",
    ])
  func strictForm(text: String) {
    #expect(canonical(text) == nil)
  }

  @Test("every time comes back from its text, and text orders like time")
  func roundTrip() throws {
    var random = RepeatableGenerator(seed: 20_261_130)
    var previous: Timestamp?
    for _ in 0..<20_000 {
      let time = try #require(
        Timestamp(
          seconds: Int64.random(in: Timestamp.firstSecond...Timestamp.lastSecond, using: &random),
          nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &random)))
      let text = time.description
      #expect(canonical(text) == time)
      if let previous { #expect((previous < time) == (previous.description < text)) }
      previous = time
    }
  }

  @Test("every day of the calendar has its own consecutive text")
  func everyDay() throws {
    var (year, month, day) = (0, 1, 1)
    for number in 0..<3_652_425 {
      // Walk the calendar by hand; check one day in 97 and each end of February.
      if number % 97 == 0 || (month == 2 && day >= 28) {
        let time = try #require(
          Timestamp(seconds: Timestamp.firstSecond + Int64(number) * 86_400))
        let expected =
          pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + " 00:00:00.000000000"
        #expect(time.description == expected)
      }
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      day += 1
      if day > lengths[month - 1] { (day, month) = (1, month + 1) }
      if month > 12 { (month, year) = (1, year + 1) }
    }
    #expect((year, month, day) == (10_000, 1, 1))
  }

  @Test("dates come back exactly, and dates that cannot be stored are refused")
  func foundationDates() throws {
    var random = RepeatableGenerator(seed: 7)
    for _ in 0..<10_000 {
      let interval = Double.random(in: 1e7...9e9, using: &random)
      let date = Date(timeIntervalSinceReferenceDate: interval)
      #expect(try #require(Timestamp(date)).date == date)
    }
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
    #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)) == nil)
    #expect(
      Timestamp(Date(timeIntervalSince1970: -62_135_596_800))?.description
        == "0001-01-01 00:00:00.000000000")
    #expect(Timestamp(Date(timeIntervalSince1970: 253_402_300_800)) == nil)
    #expect(Timestamp(Date(timeIntervalSince1970: -62_167_219_201)) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
    #expect(
      Timestamp(Date(timeIntervalSince1970: -0.5))?.description
        == "1969-12-31 23:59:59.500000000")
  }

  private func canonical(_ text: String) -> Timestamp? {
    Array(text.utf8).withUnsafeBytes { Timestamp(canonical: $0) }
  }

  private func pad(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: count - text.count) + text
  }
}
