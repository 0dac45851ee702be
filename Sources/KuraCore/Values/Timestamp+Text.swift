extension Timestamp: CustomStringConvertible {
  /// The number of bytes of ``description``.
  package static let textByteCount = 29

  /// `YYYY-MM-DD HH:MM:SS.nnnnnnnnn` in UTC: SQLite's date functions read it, and the order of the
  /// text is the order of time.
  public var description: String {
    String(unsafeUninitializedCapacity: Timestamp.textByteCount) { buffer in
      write(into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Writes ``description`` into a buffer of at least ``textByteCount`` bytes; returns the count.
  package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard buffer.count >= Timestamp.textByteCount else { return 0 }
    let (days, secondOfDay) = seconds.flooredDivision(by: 86_400)
    let (year, month, day) = CivilDate.date(daysSince1970: days)
    func digits(_ value: Int64, _ offset: Int, _ count: Int) {
      var rest = value
      for position in stride(from: offset + count - 1, through: offset, by: -1) {
        buffer[position] = UInt8(truncatingIfNeeded: 48 + rest % 10)
        rest /= 10
      }
    }
    digits(year, 0, 4)
    buffer[4] = UInt8(ascii: "-")
    digits(month, 5, 2)
    buffer[7] = UInt8(ascii: "-")
    digits(day, 8, 2)
    buffer[10] = UInt8(ascii: " ")
    digits(secondOfDay / 3600, 11, 2)
    buffer[13] = UInt8(ascii: ":")
    digits(secondOfDay / 60 % 60, 14, 2)
    buffer[16] = UInt8(ascii: ":")
    digits(secondOfDay % 60, 17, 2)
    buffer[19] = UInt8(ascii: ".")
    digits(Int64(nanoseconds), 20, 9)
    return Timestamp.textByteCount
  }

  /// Reads exactly the form of ``description``; anything else gives `nil`.
  package init?(canonical bytes: UnsafeRawBufferPointer) {
    // Nine digits at the end leave no room for the other forms, such as an offset.
    guard bytes.count == Timestamp.textByteCount, bytes[10] == UInt8(ascii: " "),
      bytes[20...].allSatisfy({ (48...57).contains($0) }), let value = Timestamp(parsing: bytes)
    else { return nil }
    self = value
  }

  /// Reads an ISO 8601 date with an optional time, fraction and offset.
  ///
  /// `2026-11-30`, `2026-11-30 01:02`, `2026-11-30T01:02:03.5Z`, `2026-11-30 01:02:03+09:00`,
  /// `+0900` and `+09` as offsets, at most nine digits of a fraction;
  /// without an offset the time is UTC. A second of 60 and dates that do not exist give `nil`.
  public init?(iso8601 text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard let value = bytes.withUnsafeBytes({ Timestamp(parsing: $0) }) else { return nil }
    self = value
  }

  private init?(parsing bytes: UnsafeRawBufferPointer) {
    var scanner = DigitScanner(bytes: bytes)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), (1...12).contains(month),
      (1...CivilDate.daysInMonth(month, year: year)).contains(day)
    else { return nil }
    var seconds = CivilDate.days(year: year, month: month, day: day) * 86_400
    var nanoseconds: Int64 = 0
    if !scanner.isAtEnd {
      guard scanner.skip(" ") || scanner.skip("T") || scanner.skip("t"),
        let hour = scanner.number(2), hour < 24, scanner.skip(":"),
        let minute = scanner.number(2), minute < 60
      else { return nil }
      seconds += hour * 3600 + minute * 60
      if scanner.skip(":") {
        guard let second = scanner.number(2), second < 60 else { return nil }
        seconds += second
        if scanner.skip(".") {
          guard let fraction = scanner.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
      if scanner.skip("Z") || scanner.skip("z") {
        // UTC, as without an offset.
      } else if !scanner.isAtEnd {
        let isEast = scanner.skip("+")
        guard isEast || scanner.skip("-"), let hours = scanner.number(2), hours < 24
        else { return nil }
        var minutes: Int64 = 0
        if !scanner.isAtEnd {
          _ = scanner.skip(":")
          guard let given = scanner.number(2), given < 60 else { return nil }
          minutes = given
        }
        seconds -= (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
      }
      guard scanner.isAtEnd else { return nil }
    }
    self.init(seconds: seconds, nanoseconds: UInt32(nanoseconds))
  }
}

/// Reads digits from bytes without allocation.
private struct DigitScanner {
  let bytes: UnsafeRawBufferPointer
  var offset = 0

  var isAtEnd: Bool { offset == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  mutating func number(_ digits: Int) -> Int64? {
    guard bytes.count - offset >= digits else { return nil }
    var value: Int64 = 0
    for index in offset..<(offset + digits) {
      guard (48...57).contains(bytes[index]) else { return nil }
      value = value * 10 + Int64(bytes[index] - 48)
    }
    offset += digits
    return value
  }

  /// One to nine digits as nanoseconds.
  mutating func fraction() -> Int64? {
    var value: Int64 = 0
    var count = 0
    while offset < bytes.count, (48...57).contains(bytes[offset]) {
      guard count < 9 else { return nil }
      value = value * 10 + Int64(bytes[offset] - 48)
      count += 1
      offset += 1
    }
    guard count > 0 else { return nil }
    for _ in count..<9 { value *= 10 }
    return value
  }
}
