import KuraCore

/// MessagePack as JSON (github.com/msgpack/msgpack, spec.md).
///
/// A decoder of our own: msgpack-c makes arrays of whatever size five bytes claim, before it looks
/// whether the elements are there.
enum MessagePack {
  /// Whether a value may be a map or an array.
  static func mayBeContainer(_ first: UInt8) -> Bool {
    (0x80...0x9F).contains(first) || (0xDC...0xDF).contains(first)
  }

  /// Writes the JSON of bytes that are one value and nothing else.
  static func convert(_ bytes: UnsafeRawBufferPointer, _ json: JSONBuilder) throws(StoreError) {
    var reader = BinaryReader(bytes)
    // What is left to read in each open map or array: names and values count.
    var left: [UInt64] = []
    repeat {
      if let count = try item(&reader, json) {
        left.append(count)
      } else if let last = left.indices.last {
        left[last] -= 1
      }
      while let count = left.last, count == 0 {
        left.removeLast()
        try json.close()
        if let last = left.indices.last { left[last] -= 1 }
      }
    } while !left.isEmpty
    guard reader.isAtEnd else { throw JSONBuilder.impossible }
  }

  /// Reads one item; of a map or array what comes after it is its content.
  ///
  /// - Returns: The number of items in a map or array that begins.
  private static func item(_ reader: inout BinaryReader, _ json: JSONBuilder) throws(StoreError)
    -> UInt64?
  {
    let first = try reader.byte()
    switch first {
    case 0x00...0x7F: try json.integer(Int64(first))
    case 0xE0...0xFF: try json.integer(Int64(Int8(bitPattern: first)))
    case 0x80...0x8F: return try open(UInt64(first & 15), isMap: true, json)
    case 0x90...0x9F: return try open(UInt64(first & 15), isMap: false, json)
    case 0xA0...0xBF: try json.string(reader.part(UInt64(first & 31)))
    case 0xC0: try json.null()
    case 0xC2, 0xC3: try json.bool(first == 0xC3)
    case 0xC4...0xC6: try json.data(reader.part(reader.number(1 << (first - 0xC4))))
    case 0xC7...0xC9: try extended(&reader, reader.number(1 << (first - 0xC7)), json)
    case 0xCA: try json.double(Double(Float(bitPattern: UInt32(reader.number(4)))))
    case 0xCB: try json.double(Double(bitPattern: reader.number(8)))
    case 0xCC...0xCF: try json.unsigned(reader.number(1 << (first - 0xCC)))
    case 0xD0...0xD3:
      let size = 1 << Int(first - 0xD0)
      let value = Int64(bitPattern: try reader.number(size) << UInt64(64 - 8 * size))
      try json.integer(value >> Int64(64 - 8 * size))
    case 0xD4...0xD8: try extended(&reader, 1 << UInt64(first - 0xD4), json)
    case 0xD9...0xDB: try json.string(reader.part(reader.number(1 << (first - 0xD9))))
    case 0xDC, 0xDD: return try open(reader.number(first == 0xDC ? 2 : 4), isMap: false, json)
    case 0xDE, 0xDF: return try open(reader.number(first == 0xDE ? 2 : 4), isMap: true, json)
    default: throw JSONBuilder.impossible
    }
    return nil
  }

  private static func open(_ count: UInt64, isMap: Bool, _ json: JSONBuilder) throws(StoreError)
    -> UInt64
  {
    try json.open(isObject: isMap)
    return isMap ? count * 2 : count
  }

  /// A value of an application's own type: its number and bytes.
  private static func extended(_ reader: inout BinaryReader, _ count: UInt64, _ json: JSONBuilder)
    throws(StoreError)
  {
    let type = Int8(bitPattern: try reader.byte())
    let bytes = try reader.part(count)
    guard !json.needsName else { throw JSONBuilder.impossible }
    try json.open(isObject: true)
    try json.string("$type")
    try json.integer(Int64(type))
    try json.string("$data")
    try json.data(bytes)
    try json.close()
  }
}
