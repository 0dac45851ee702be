#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A point in time in UTC, exact to the nanosecond, in the proleptic Gregorian calendar.
///
/// `Date` counts seconds in a `Double`, whose steps today are about 119 ns; converting rounds to
/// the nearest nanosecond, so every `Date` further than about 97 days from 2001-01-01 comes back
/// exactly as it was.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Whole seconds since 1970-01-01 00:00:00 UTC, rounded down.
  public let seconds: Int64
  /// Nanoseconds after ``seconds``: 0 to 999,999,999.
  public let nanoseconds: UInt32

  /// The first storable second, 0000-01-01 00:00:00 UTC.
  public static let firstSecond: Int64 = -62_167_219_200
  /// The last storable second, 9999-12-31 23:59:59 UTC.
  public static let lastSecond: Int64 = 253_402_300_799

  /// Makes a point in time; `nil` outside the years 0 to 9999 or with a billion nanoseconds or more.
  public init?(seconds: Int64, nanoseconds: UInt32 = 0) {
    guard (Timestamp.firstSecond...Timestamp.lastSecond).contains(seconds),
      nanoseconds < 1_000_000_000
    else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Makes the nearest point in time; `nil` for non-finite dates and years outside 0 to 9999.
  public init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.isFinite, abs(interval) < 1e12 else { return nil }
    let whole = interval.rounded(.down)
    // The difference is exact: both numbers have the same scale or the fraction is zero.
    let fraction = ((interval - whole) * 1e9).rounded(.toNearestOrEven)
    let carry: Int64 = fraction >= 1e9 ? 1 : 0
    self.init(
      seconds: Int64(whole) + Timestamp.referenceSeconds + carry,
      nanoseconds: carry == 1 ? 0 : UInt32(fraction))
  }

  /// The nearest `Date`.
  public var date: Date {
    Date(
      timeIntervalSinceReferenceDate: Double(seconds - Timestamp.referenceSeconds)
        + Double(nanoseconds) / 1e9)
  }

  /// Orders by time.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// Seconds from 1970 to Foundation's reference date, 2001-01-01 00:00:00 UTC.
  private static let referenceSeconds: Int64 = 978_307_200
}
