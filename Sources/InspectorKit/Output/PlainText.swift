import KuraCore

/// Values as plain text, for formats that have no types.
enum PlainText {
  /// The number of a decimal's sortable text.
  static func decimal(_ slot: ColumnSlot) -> String {
    let text = String(decoding: slot.bytes, as: UTF8.self)
    return text.firstIndex(of: " ").map { String(text[text.index(after: $0)...]) } ?? text
  }

  /// A value as text; nothing for null.
  ///
  /// Malformed text is repaired here; ``append(_:_:to:)`` keeps its bytes.
  static func text(_ slot: ColumnSlot, _ options: ValueOptions) -> String {
    switch slot.kind {
    case .null: return ""
    case .bool: return slot.word0 != 0 ? "true" : "false"
    case .integer: return String(slot.integer)
    case .double:
      let value = slot.double
      if value.isNaN { return "NaN" }
      if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
      return value.description
    case .text, .malformedText: return String(decoding: slot.bytes, as: UTF8.self)
    case .date, .uuid, .objectID: return ValueText.text(of: slot)
    case .decimal: return decimal(slot)
    case .data:
      switch options.blobs {
      case .skip: return ""
      case .base64: return base64(slot.bytes)
      case .hex, nil: return "\\x" + StoredValue.hex(slot.bytes)
      }
    }
  }

  /// Writes a value as ``text(_:_:)`` gives it, without making a text where that can be avoided.
  static func append(_ slot: ColumnSlot, _ options: ValueOptions, to bytes: ByteWriter)
    throws(StoreError)
  {
    switch slot.kind {
    case .null: break
    case .integer: try bytes.append(slot.integer)
    case .text, .malformedText: try bytes.append(slot.bytes)
    case .double where slot.double.isFinite: try bytes.append(slot.double)
    case .data where options.blobs == nil || options.blobs == .hex:
      try bytes.append("\\x")
      try bytes.appendHex(slot.bytes)
    case .bool, .double, .decimal, .date, .data, .uuid, .objectID:
      try bytes.append(text(slot, options))
    }
  }

  private static func base64(_ bytes: UnsafeRawBufferPointer) -> String {
    var text: [UInt8] = []
    let writer = ByteWriter(capacity: 4096) { part throws(StoreError) in text += part }
    try? writer.appendBase64(bytes)
    try? writer.flush()
    return String(decoding: text, as: UTF8.self)
  }
}
