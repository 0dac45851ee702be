import KuraCore
import KuraLMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows the bytes of keys or values as what they are taken for.
///
/// Bytes that are not of the form are shown as bytes and counted.
final class EntryCodec: EntryDecoder {
  private enum Step: Hashable {
    case inflate
    case skip(Int)
  }

  /// What bytes turned out to be.
  enum Reading {
    case text(UnsafeRawBufferPointer)
    /// JSON as it is stored.
    case json(UnsafeRawBufferPointer)
    /// JSON made of another form, with the form's name.
    case converted(String, UnsafeRawBufferPointer)
    case value(StoredValue)
    case bytes(UnsafeRawBufferPointer)
  }

  /// The name as given.
  let name: String
  let form: CodecForm
  private let steps: [Step]
  /// Whether the database holds integers of the machine.
  private let isNative: Bool
  private let json = JSONBuilder()
  private let row = RowBuffer(columns: 1)
  /// The number of values that were not of the form.
  private(set) var failureCount: Int64 = 0

  /// Whether what is shown can be loaded again as it was.
  var isAuto: Bool { form == .auto && steps.isEmpty }

  /// The codec that the bytes and the database's flags decide.
  init(isNative: Bool) {
    name = "auto"
    form = .auto
    steps = []
    self.isNative = isNative
  }

  /// The codec of a name such as `u32be` or `zlib+json`.
  ///
  /// - Throws: A usage error when there is no such codec.
  init(_ name: String, _ option: String, isNative: Bool) throws(StoreError) {
    self.name = name
    self.isNative = isNative
    var steps: [Step] = []
    var form: CodecForm?
    let parts = name.split(separator: "+", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part == "zlib" || part == "gzip" {
        steps.append(.inflate)
      } else if part.hasPrefix("skip"), let count = Int(part.dropFirst(4)), count >= 0 {
        steps.append(.skip(count))
      } else if index == parts.count - 1, let last = CodecForm(part) {
        form = last
      } else {
        throw UsageError.make("\(option) has no codec \"\(part)\"", hint: CodecForm.help)
      }
    }
    // Without a last form the result decides.
    self.form = form ?? .auto
    self.steps = steps
  }

  /// The type that a query sees.
  var type: ValueType {
    if isAuto { return isNative ? .integer : .any }
    return form.type
  }

  // MARK: Reading

  /// Calls a body with what bytes are.
  func read<R>(
    _ bytes: UnsafeRawBufferPointer, _ body: (Reading) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    if steps.isEmpty { return try body(read(bytes, form, mayInflate: true)) }
    return try read(bytes, after: steps[...]) { inner throws(StoreError) -> R in
      guard let inner else {
        failureCount += 1
        return try body(.bytes(bytes))
      }
      let reading = read(inner, form, mayInflate: false)
      if case .bytes = reading, form != .auto { return try body(.bytes(bytes)) }
      return try body(reading)
    }
  }

  private func read<R>(
    _ bytes: UnsafeRawBufferPointer, after steps: ArraySlice<Step>,
    _ body: (UnsafeRawBufferPointer?) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    switch steps.first {
    case nil: return try body(bytes)
    case .skip(let count):
      guard bytes.count >= count else { return try body(nil) }
      return try read(
        UnsafeRawBufferPointer(rebasing: bytes[count...]), after: steps.dropFirst(), body)
    case .inflate:
      guard let inflated = Inflation.inflate(bytes) else { return try body(nil) }
      return try inflated.withBytes { part throws(StoreError) -> R in
        try read(part, after: steps.dropFirst(), body)
      }
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer, _ form: CodecForm, mayInflate: Bool) -> Reading
  {
    let reading: Reading? =
      switch form {
      case .auto: automatic(bytes, mayInflate: mayInflate)
      case .hex: .value(.text(StoredValue.hex(bytes)))
      case .base64: .value(.text(Base64.text(bytes)))
      case .utf8: UTF8Validation.isValid(bytes) ? .text(bytes) : nil
      case .json: UTF8Validation.isValid(bytes) && JSONText.isValue(bytes) ? .json(bytes) : nil
      case .cbor: converted("cbor", bytes, CBOR.convert)
      case .msgpack: converted("msgpack", bytes, MessagePack.convert)
      case .plist: converted("plist", bytes, BinaryPropertyList.convert)
      case .uuid: bytes.count == 16 ? .value(.text(EntryCodec.uuid(bytes))) : nil
      case .number(let number): number.value(bytes).map { .value($0) }
      }
    if let reading { return reading }
    failureCount += 1
    return .bytes(bytes)
  }

  /// The rules of `auto`, in their order: the database's flags, magic numbers, text and JSON,
  /// MessagePack that is a map or an array, bytes.
  private func automatic(_ bytes: UnsafeRawBufferPointer, mayInflate: Bool) -> Reading {
    if isNative, let number = NativeIntegerDecoder.number(bytes) {
      return .value(StoredValue(unsigned: number))
    }
    switch TextCleanness.of(bytes) {
    case .plain: return EntryCodec.looksLikeJSON(bytes) ? .json(bytes) : .text(bytes)
    case .lines: return .text(bytes)
    case .none: break
    }
    if bytes.starts(with: "bplist00".utf8),
      let found = converted("plist", bytes, BinaryPropertyList.convert)
    {
      return found
    }
    if mayInflate, Inflation.mayBeCompressed(bytes), let inflated = Inflation.inflate(bytes) {
      let kind = bytes[0] == 0x78 ? "zlib" : "gzip"
      if let found = inflated.withUnsafeBytes({ convertedInner($0, kind) }) { return found }
    }
    if let first = bytes.first, MessagePack.mayBeContainer(first),
      let found = converted("msgpack", bytes, MessagePack.convert)
    {
      return found
    }
    return .bytes(bytes)
  }

  private static func looksLikeJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, let last = bytes.last else { return false }
    switch (first, last) {
    case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")):
      return JSONText.isValue(bytes)
    default: return false
    }
  }

  /// What compressed bytes hold, as JSON: JSON itself, a text, or nothing that can be shown.
  private func convertedInner(_ bytes: UnsafeRawBufferPointer, _ kind: String) -> Reading? {
    let cleanness = TextCleanness.of(bytes)
    guard cleanness != .none else { return nil }
    let isJSON = cleanness == .plain && EntryCodec.looksLikeJSON(bytes)
    json.begin()
    do {
      if isJSON { try json.raw(bytes) } else { try json.string(bytes) }
      try json.finish()
    } catch {
      return nil
    }
    return .converted(kind + (isJSON ? "+json" : "+utf8"), json.result)
  }

  private func converted(
    _ kind: String, _ bytes: UnsafeRawBufferPointer,
    _ convert: (UnsafeRawBufferPointer, JSONBuilder) throws(StoreError) -> Void
  ) -> Reading? {
    json.begin()
    do {
      try convert(bytes, json)
      try json.finish()
    } catch {
      return nil
    }
    return .converted(kind, json.result)
  }

  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array(StoredValue.hex(bytes))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }

  // MARK: Showing

  /// Writes the JSON of bytes; with `auto` all of them can be found in it again.
  func writeJSON(
    _ bytes: UnsafeRawBufferPointer, to writer: ByteWriter, _ options: ValueOptions
  ) throws(StoreError) {
    if isAuto, isNative, bytes.count == 4, let number = NativeIntegerDecoder.number(bytes) {
      try writer.append("{\"$u32\":")
      try writer.append(Int64(number))
      return try writer.append("}")
    }
    try read(bytes) { reading throws(StoreError) in
      switch reading {
      case .text(let text): try writer.appendJSON(text)
      case .json(let text):
        if isAuto { try writer.append("{\"$json\":") }
        try appendLine(text, to: writer)
        if isAuto { try writer.append("}") }
      case .converted(let kind, let text):
        guard isAuto else { return try writer.append(text) }
        try writer.append("{\"$base64\":true,\"encoded\":\"")
        try writer.appendBase64(bytes)
        try writer.append("\",\"as\":\"")
        try writer.append(kind)
        try writer.append("\",\"value\":")
        try writer.append(text)
        try writer.append("}")
      case .value(let value):
        row.reset()
        row.setValue(value, at: 0)
        try JSONValues.write(row[0], writer, options)
      case .bytes(let bytes):
        try JSONValues.write(ColumnSlot(.data, borrowing: bytes), writer, options)
      }
    }
  }

  /// JSON on one line: spaces outside strings that are line ends become spaces.
  private func appendLine(_ text: UnsafeRawBufferPointer, to writer: ByteWriter) throws(StoreError)
  {
    var start = 0
    for (index, byte) in text.enumerated() where byte == 0x0A || byte == 0x0D {
      try writer.append(UnsafeRawBufferPointer(rebasing: text[start..<index]))
      try writer.append(UInt8(ascii: " "))
      start = index + 1
    }
    try writer.append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  func decode(_ bytes: UnsafeRawBufferPointer, into row: RowBuffer, column: Int) {
    // Nothing here throws: the body does not, and what cannot be read is bytes.
    try? read(bytes) { reading throws(StoreError) in
      switch reading {
      case .text(let text), .json(let text):
        if steps.isEmpty {
          row[column] = ColumnSlot(.text, borrowing: text)
        } else {
          row.setBytes(text, kind: .text, column: column)
        }
      case .converted(_, let text): row.setBytes(text, kind: .text, column: column)
      case .value(let value): row.setValue(value, at: column)
      case .bytes(let part):
        if steps.isEmpty {
          row[column] = ColumnSlot(.data, borrowing: part)
        } else {
          row.setBytes(part, kind: .data, column: column)
        }
      }
    }
  }
}

extension StoredValue {
  /// An unsigned number: an integer, or a decimal beyond them.
  init(unsigned number: UInt64) {
    self = Int64(exactly: number).map { .integer($0) } ?? .decimal(.init(number))
  }
}
