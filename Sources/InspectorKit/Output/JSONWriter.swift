import KuraCore

/// Writes JSON objects: one a line, or as the elements of one array.
///
/// Lossless: bytes that are no text and numbers that JSON lacks have the forms of the manual.
final class JSONWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private let isArray: Bool
  private var keys: [FixedBytes] = []
  /// The bytes of ``keys``, which keep them.
  private var keyBytes: [UnsafeRawBufferPointer] = []
  private var isFirst = true
  private let lineEnd: StaticString

  init(
    _ bytes: ByteWriter, _ options: ValueOptions, isArray: Bool, lineEnd: StaticString = "\n"
  ) {
    self.lineEnd = lineEnd
    self.bytes = bytes
    self.options = options
    self.isArray = isArray
  }

  func begin(_ columns: [String]) throws(StoreError) {
    keys = []
    for (index, name) in RecordWriters.unique(columns).enumerated() {
      keys.append(
        try FixedBytes { writer throws(StoreError) in
          try writer.append(index == 0 ? "{" : ",")
          try writer.appendJSON(name)
          try writer.append(":")
        })
    }
    keyBytes = keys.map(\.bytes)
    if isArray { try bytes.append("[") }
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    if isArray {
      try bytes.append(isFirst ? "\n" : ",\n")
      isFirst = false
    }
    // One look at the writer's own properties for a row, not one for a column.
    let (keys, options) = (keyBytes, options)
    var room = try ByteRoom(bytes)
    if keys.isEmpty {
      try room.need(1)
      room.put(UInt8(ascii: "{"))
    }
    for index in keys.indices {
      let slot = row[index]
      try room.append(keys[index])
      // What most rows are made of goes straight to its place.
      switch slot.kind {
      case .integer where !options.integersAsText:
        try room.need(DecimalDigits.mostBytes)
        room.put(slot.integer)
      case .double where slot.double.isFinite:
        try room.need(DecimalDigits.mostBytes)
        room.put(slot.double)
      case .text where ByteSearch.isPlainJSON(slot.bytes):
        try room.need(2)
        room.put(UInt8(ascii: "\""))
        try room.append(slot.bytes)
        try room.need(1)
        room.put(UInt8(ascii: "\""))
      case .null: try room.append("null")
      case .bool, .integer, .double, .decimal, .date, .text, .malformedText, .data, .uuid,
        .objectID:
        room.commit()
        try JSONValues.write(slot, bytes, options)
        try room.resume()
      }
    }
    try room.need(1)
    room.put(UInt8(ascii: "}"))
    if !isArray { try room.append(lineEnd) }
    room.commit()
  }

  func end() throws(StoreError) {
    if isArray { try bytes.append(isFirst ? "]\n" : "\n]\n") }
  }
}

/// The JSON form of one value.
enum JSONValues {
  static func write(_ slot: ColumnSlot, _ bytes: ByteWriter, _ options: ValueOptions)
    throws(StoreError)
  {
    switch slot.kind {
    case .null: try bytes.append("null")
    case .bool: try bytes.append(slot.word0 != 0 ? "true" : "false")
    case .integer:
      if options.integersAsText { try bytes.append(UInt8(ascii: "\"")) }
      try bytes.append(slot.integer)
      if options.integersAsText { try bytes.append(UInt8(ascii: "\"")) }
    case .double:
      let value = slot.double
      if value.isFinite { return try bytes.append(value) }
      try bytes.append("{\"$numberDouble\":\"")
      try bytes.append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
      try bytes.append("\"}")
    case .text: try bytes.appendJSON(slot.bytes)
    case .date, .uuid, .objectID: try bytes.appendJSON(ValueText.text(of: slot))
    case .decimal:
      try bytes.append("{\"$numberDecimal\":\"")
      try bytes.append(PlainText.decimal(slot))
      try bytes.append("\"}")
    case .data where options.blobs == .skip: try bytes.append("null")
    case .data where options.blobs == .hex:
      try bytes.append("{\"$hex\":\"")
      try bytes.appendHex(slot.bytes)
      try bytes.append("\"}")
    case .data, .malformedText:
      try bytes.append("{\"$base64\":true,\"encoded\":\"")
      try bytes.appendBase64(slot.bytes)
      try bytes.append(slot.kind == .data ? "\"}" : "\",\"type\":\"text\"}")
    }
  }
}
