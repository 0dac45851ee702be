import KuraCore

/// Makes the JSON text of a value that has another form, such as MessagePack.
///
/// Its memory is used again for the next value. Commas and colons come by themselves: each call adds
/// one value, or one name where an object needs it.
final class JSONBuilder {
  /// The most bytes of one text.
  static let maximumSize = 64 << 20
  /// The deepest nesting.
  static let maximumDepth = JSONText.maximumValueDepth

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
  private var size = 0
  private var levels: [(isObject: Bool, count: Int, needsName: Bool)] = []
  private var writer: ByteWriter?

  /// What a value cannot be converted for; only this file's functions and those that call them see it.
  static let impossible = StoreError(.undecodable, "the value cannot be written as JSON")

  /// Begins with a new text.
  func begin() {
    size = 0
    levels.removeAll(keepingCapacity: true)
    writer = ByteWriter(capacity: 4096) { [unowned self] part throws(StoreError) in
      try append(part)
    }
  }

  deinit { memory.deallocate() }

  private func append(_ part: UnsafeRawBufferPointer) throws(StoreError) {
    guard part.count <= JSONBuilder.maximumSize - size else { throw JSONBuilder.impossible }
    if part.count > memory.count - size {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(memory.count * 2, size + part.count), alignment: 8)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<size]))
      memory.deallocate()
      memory = larger
    }
    UnsafeMutableRawBufferPointer(rebasing: memory[size...]).copyMemory(from: part)
    size += part.count
  }

  /// Ends the text.
  func finish() throws(StoreError) {
    guard levels.isEmpty else { throw JSONBuilder.impossible }
    try writer?.flush()
    writer = nil
  }

  /// Whether an object's name comes next.
  var needsName: Bool { levels.last?.needsName ?? false }

  /// Where the next value goes, after comma or colon.
  private func place() throws(StoreError) -> ByteWriter {
    guard let writer else { throw JSONBuilder.impossible }
    guard let last = levels.indices.last else { return writer }
    // Objects and arrays cannot be names.
    guard !levels[last].needsName else { throw JSONBuilder.impossible }
    if levels[last].isObject {
      levels[last].needsName = true
    } else {
      if levels[last].count > 0 { try writer.append(UInt8(ascii: ",")) }
      levels[last].count += 1
    }
    return writer
  }

  /// Adds the name of a member.
  private func name(_ text: UnsafeRawBufferPointer) throws(StoreError) {
    guard let writer, let last = levels.indices.last, UTF8Validation.isValid(text) else {
      throw JSONBuilder.impossible
    }
    if levels[last].count > 0 { try writer.append(UInt8(ascii: ",")) }
    levels[last].count += 1
    levels[last].needsName = false
    try writer.appendJSON(text)
    try writer.append(UInt8(ascii: ":"))
  }

  private func name(_ text: String) throws(StoreError) {
    var failure: StoreError?
    var text = text
    text.withUTF8 { bytes in
      do throws(StoreError) {
        try name(UnsafeRawBufferPointer(bytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  func open(isObject: Bool) throws(StoreError) {
    guard levels.count < JSONBuilder.maximumDepth else { throw JSONBuilder.impossible }
    let writer = try place()
    try writer.append(isObject ? "{" : "[")
    levels.append((isObject, 0, isObject))
  }

  func close() throws(StoreError) {
    guard let level = levels.popLast(), let writer, !level.isObject || level.needsName else {
      throw JSONBuilder.impossible
    }
    try writer.append(level.isObject ? "}" : "]")
  }

  func null() throws(StoreError) {
    guard !needsName else { return try name("null") }
    try place().append("null")
  }

  func bool(_ value: Bool) throws(StoreError) {
    guard !needsName else { return try name(value ? "true" : "false") }
    try place().append(value ? "true" : "false")
  }

  func integer(_ value: Int64) throws(StoreError) {
    guard !needsName else { return try name(String(value)) }
    try place().append(value)
  }

  func unsigned(_ value: UInt64) throws(StoreError) {
    guard let integer = Int64(exactly: value) else {
      guard !needsName else { return try name(String(value)) }
      return try place().append(String(value))
    }
    try self.integer(integer)
  }

  func double(_ value: Double) throws(StoreError) {
    guard !needsName else { return try name(value.description) }
    try JSONValues.write(
      ColumnSlot(.double, value.bitPattern), try place(), ValueOptions())
  }

  /// Adds a text; one that is not UTF-8 keeps its bytes.
  func string(_ value: UnsafeRawBufferPointer) throws(StoreError) {
    guard !needsName else { return try name(value) }
    let kind: ColumnSlot.Kind = UTF8Validation.isValid(value) ? .text : .malformedText
    try JSONValues.write(ColumnSlot(kind, borrowing: value), try place(), ValueOptions())
  }

  func string(_ value: String) throws(StoreError) {
    guard !needsName else { return try name(value) }
    try place().appendJSON(value)
  }

  /// Adds JSON as it is.
  func raw(_ value: UnsafeRawBufferPointer) throws(StoreError) {
    try place().append(value)
  }

  /// The text after ``finish()``; valid until the next ``begin()``.
  var result: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<size])
  }

  func data(_ value: UnsafeRawBufferPointer) throws(StoreError) {
    guard !needsName else { return try name("\\x" + StoredValue.hex(value)) }
    try JSONValues.write(ColumnSlot(.data, borrowing: value), try place(), ValueOptions())
  }
}
