import KuraCore

/// CBOR as JSON (RFC 8949).
///
/// A decoder of our own: libcbor takes memory for as many elements as a header claims, and its
/// streaming part reads the headers only, which are the short half of this file.
enum CBOR {
  /// What is left to read in an open map or array: names and values count.
  private struct Level {
    /// `nil` until a break.
    var left: UInt64?
    var isMap: Bool
  }

  /// Writes the JSON of bytes that are one item and nothing else.
  static func convert(_ bytes: UnsafeRawBufferPointer, _ json: JSONBuilder) throws(StoreError) {
    var reader = BinaryReader(bytes)
    var levels: [Level] = []
    while true {
      let first = try reader.byte()
      // A tag says what the item after it means; the item itself is shown.
      if first >> 5 == 6 {
        _ = try argument(first, &reader)
        continue
      }
      if first == 0xFF {
        guard let level = levels.popLast(), level.left == nil else { throw JSONBuilder.impossible }
        try json.close()
        count(&levels)
      } else if let level = try item(first, &reader, json) {
        levels.append(level)
      } else {
        count(&levels)
      }
      while let level = levels.last, level.left == 0 {
        levels.removeLast()
        try json.close()
        count(&levels)
      }
      if levels.isEmpty { break }
    }
    guard reader.isAtEnd else { throw JSONBuilder.impossible }
  }

  private static func count(_ levels: inout [Level]) {
    guard let last = levels.indices.last, let left = levels[last].left else { return }
    levels[last].left = left - 1
  }

  /// The number in or behind the first byte of an item.
  private static func argument(_ first: UInt8, _ reader: inout BinaryReader) throws(StoreError)
    -> UInt64
  {
    switch first & 31 {
    case 0...23: UInt64(first & 31)
    case 24: try reader.number(1)
    case 25: try reader.number(2)
    case 26: try reader.number(4)
    case 27: try reader.number(8)
    default: throw JSONBuilder.impossible
    }
  }

  /// Reads one item; of a map or array what comes after it is its content.
  private static func item(_ first: UInt8, _ reader: inout BinaryReader, _ json: JSONBuilder)
    throws(StoreError) -> Level?
  {
    let isIndefinite = first & 31 == 31
    switch first >> 5 {
    case 0: try json.unsigned(argument(first, &reader))
    case 1:
      let number = try argument(first, &reader)
      guard let value = Int64(exactly: number) else {
        // Below the integers that JSON readers have anyway.
        try json.double(-1 - Double(number))
        return nil
      }
      try json.integer(-1 - value)
    case 2, 3:
      let isText = first >> 5 == 3
      if isIndefinite {
        let bytes = try chunks(first >> 5, &reader)
        try bytes.withBytes { part throws(StoreError) in
          try isText ? json.string(part) : json.data(part)
        }
      } else {
        let part = try reader.part(argument(first, &reader))
        try isText ? json.string(part) : json.data(part)
      }
    case 4, 5:
      let isMap = first >> 5 == 5
      let count = isIndefinite ? nil : try argument(first, &reader)
      try json.open(isObject: isMap)
      guard let count else { return Level(left: nil, isMap: isMap) }
      let (items, overflow) = count.multipliedReportingOverflow(by: isMap ? 2 : 1)
      guard !overflow else { throw JSONBuilder.impossible }
      return Level(left: items, isMap: isMap)
    default: try simple(first, &reader, json)
    }
    return nil
  }

  /// The parts of a text or bytes of unknown length, joined.
  private static func chunks(_ major: UInt8, _ reader: inout BinaryReader) throws(StoreError)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    while true {
      let first = try reader.byte()
      if first == 0xFF { return bytes }
      guard first >> 5 == major, first & 31 != 31 else { throw JSONBuilder.impossible }
      bytes += try reader.part(argument(first, &reader))
    }
  }

  private static func simple(_ first: UInt8, _ reader: inout BinaryReader, _ json: JSONBuilder)
    throws(StoreError)
  {
    switch first & 31 {
    case 20, 21: try json.bool(first & 31 == 21)
    case 22, 23: try json.null()
    case 25: try json.double(half(UInt16(reader.number(2))))
    case 26: try json.double(Double(Float(bitPattern: UInt32(reader.number(4)))))
    case 27: try json.double(Double(bitPattern: reader.number(8)))
    default: throw JSONBuilder.impossible
    }
  }

  /// A number of 16 bits: one for the sign, five for the exponent, ten for the fraction.
  private static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 31)
    let fraction = Double(bits & 1023)
    let magnitude: Double =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? .infinity : .nan
      default: (1024 + fraction) * Double(sign: .plus, exponent: exponent - 25, significand: 1)
      }
    return bits >> 15 == 1 ? -magnitude : magnitude
  }
}

extension [UInt8] {
  /// Calls a body with the bytes and passes on what it throws.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StoreError) -> R) throws(StoreError)
    -> R
  {
    let result: Result<R, StoreError> = withUnsafeBytes { bytes in
      do throws(StoreError) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
