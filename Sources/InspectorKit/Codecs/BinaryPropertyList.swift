import KuraCore

/// Apple's binary property lists as JSON (CFBinaryPList.c describes the format).
///
/// A decoder of our own: Foundation's adds 15 ms to the start of the tool on Linux, and libplist
/// reads an object again for each reference to it, which a small file can make exponential.
struct BinaryPropertyList {
  /// The most objects that are written, an object that is referred to twice counted twice.
  private static let maximumCount = 1 << 20

  private let bytes: UnsafeRawBufferPointer
  private let json: JSONBuilder
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: UInt64
  private let tableOffset: UInt64
  private var count = 0

  /// Writes the JSON of bytes that are a property list.
  static func convert(_ bytes: UnsafeRawBufferPointer, _ json: JSONBuilder) throws(StoreError) {
    var list = try BinaryPropertyList(bytes, json)
    try list.write(list.number(at: UInt64(bytes.count - 16), 8), depth: 0)
  }

  private init(_ bytes: UnsafeRawBufferPointer, _ json: JSONBuilder) throws(StoreError) {
    guard bytes.count >= 40, bytes.starts(with: "bplist00".utf8) else {
      throw JSONBuilder.impossible
    }
    self.bytes = bytes
    self.json = json
    // The last 32 bytes: the sizes of offsets and references, the number of objects, the first one,
    // where the table of offsets begins.
    offsetSize = Int(bytes[bytes.count - 26])
    referenceSize = Int(bytes[bytes.count - 25])
    var trailer = BinaryReader(UnsafeRawBufferPointer(rebasing: bytes.suffix(24)))
    objectCount = try trailer.number(8)
    _ = try trailer.number(8)
    tableOffset = try trailer.number(8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      objectCount <= UInt64(bytes.count), tableOffset <= UInt64(bytes.count)
    else { throw JSONBuilder.impossible }
  }

  private func number(at offset: UInt64, _ size: Int) throws(StoreError) -> UInt64 {
    var reader = BinaryReader(try part(offset, UInt64(size)))
    return try reader.number(size)
  }

  private func part(_ offset: UInt64, _ size: UInt64) throws(StoreError) -> UnsafeRawBufferPointer {
    let end = UInt64(bytes.count)
    guard offset <= end, size <= end - offset else { throw JSONBuilder.impossible }
    return UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset + size)])
  }

  /// The place of an object.
  private func offset(_ object: UInt64) throws(StoreError) -> UInt64 {
    guard object < objectCount else { throw JSONBuilder.impossible }
    return try number(at: tableOffset + object * UInt64(offsetSize), offsetSize)
  }

  /// Writes an object and what it refers to; a circle ends at the depth that JSON may have.
  private mutating func write(_ object: UInt64, depth: Int) throws(StoreError) {
    count += 1
    guard depth < JSONBuilder.maximumDepth, count <= BinaryPropertyList.maximumCount else {
      throw JSONBuilder.impossible
    }
    let start = try offset(object)
    let marker = try number(at: start, 1)
    let low = Int(marker & 15)
    switch marker >> 4 {
    case 0x0: try simple(low)
    case 0x1: try integer(start + 1, low)
    case 0x2 where low == 2:
      try json.double(Double(Float(bitPattern: UInt32(number(at: start + 1, 4)))))
    case 0x2 where low == 3: try json.double(Double(bitPattern: number(at: start + 1, 8)))
    case 0x3: try date(Double(bitPattern: number(at: start + 1, 8)))
    case 0x8: try json.unsigned(number(at: start + 1, low + 1))
    case 0x4, 0x5, 0x6: try characters(start, Int(marker >> 4))
    case 0xA, 0xC:
      let (count, content) = try length(start)
      try json.open(isObject: false)
      for index in 0..<count { try write(reference(content, index), depth: depth + 1) }
      try json.close()
    case 0xD:
      let (count, content) = try length(start)
      try json.open(isObject: true)
      for index in 0..<count {
        try write(reference(content, index), depth: depth + 1)
        try write(reference(content, count + index), depth: depth + 1)
      }
      try json.close()
    default: throw JSONBuilder.impossible
    }
  }

  private func reference(_ content: UInt64, _ index: UInt64) throws(StoreError) -> UInt64 {
    try number(at: content + index * UInt64(referenceSize), referenceSize)
  }

  /// The number of elements of an object, checked against the bytes, and where they begin.
  private func length(_ start: UInt64) throws(StoreError) -> (count: UInt64, content: UInt64) {
    let low = try number(at: start, 1) & 15
    guard low == 15 else { return (low, start + 1) }
    let marker = try number(at: start + 1, 1)
    guard marker >> 4 == 1, marker & 15 <= 3 else { throw JSONBuilder.impossible }
    let size = 1 << Int(marker & 15)
    let count = try number(at: start + 2, size)
    guard count <= UInt64(bytes.count) else { throw JSONBuilder.impossible }
    return (count, start + 2 + UInt64(size))
  }

  private func simple(_ low: Int) throws(StoreError) {
    switch low {
    case 0: try json.null()
    case 8: try json.bool(false)
    case 9: try json.bool(true)
    default: throw JSONBuilder.impossible
    }
  }

  private func integer(_ start: UInt64, _ low: Int) throws(StoreError) {
    switch low {
    // Only numbers of 8 bytes have a sign.
    case 0...2: try json.unsigned(number(at: start, 1 << low))
    case 3: try json.integer(Int64(bitPattern: number(at: start, 8)))
    case 4:
      guard try number(at: start, 8) == 0 else { throw JSONBuilder.impossible }
      try json.unsigned(number(at: start + 8, 8))
    default: throw JSONBuilder.impossible
    }
  }

  /// A date is the number of seconds since the beginning of 2001.
  private func date(_ seconds: Double) throws(StoreError) {
    let unix = seconds + 978_307_200
    guard unix.isFinite, abs(unix) < 1e15 else { throw JSONBuilder.impossible }
    let whole = unix.rounded(.down)
    let fraction = UInt32(min(999_999_999, ((unix - whole) * 1e9).rounded()))
    guard let time = Timestamp(seconds: Int64(whole), nanoseconds: fraction) else {
      throw JSONBuilder.impossible
    }
    try json.string(time.description)
  }

  private func characters(_ start: UInt64, _ kind: Int) throws(StoreError) {
    let (count, content) = try length(start)
    if kind == 4 { return try json.data(part(content, count)) }
    if kind == 5 { return try json.string(part(content, count)) }
    let units = try part(content, count * 2)
    var text: [UInt16] = []
    text.reserveCapacity(units.count / 2)
    for index in stride(from: 0, to: units.count, by: 2) {
      text.append(UInt16(units[index]) << 8 | UInt16(units[index + 1]))
    }
    try json.string(String(decoding: text, as: UTF16.self))
  }
}
