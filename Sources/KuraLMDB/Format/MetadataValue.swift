import KuraCore

/// The bytes of a value outside of records: a byte for its type, then its payload.
enum MetadataValue {
  /// The bytes of a value that is not null; `nil` for null and for what cannot be stored.
  static func bytes(_ value: StoredValue) -> [UInt8]? {
    let row = RowBuffer(columns: 1)
    row.setValue(value, at: 0)
    let slot = row[0]
    guard slot.kind != .null, slot.kind != .malformedText,
      let form = ValueForm(tag: ValueForm.tag(slot)), form.accepts(slot)
    else { return nil }
    let count = form.byteCount(slot)
    return unsafe [UInt8](unsafeUninitializedCapacity: count + 16) { buffer, filled in
      if let base = UnsafeMutableRawPointer(buffer.baseAddress) {
        unsafe base.storeBytes(of: ValueForm.tag(slot), as: UInt8.self)
        unsafe form.write(slot, count, to: base + 1)
        filled = count + 1
      }
    }
  }

  /// Reads what ``bytes(_:)`` wrote; `nil` when the bytes are no value.
  static func value(_ bytes: UnsafeRawBufferPointer) -> StoredValue? {
    guard let base = bytes.baseAddress, bytes.count > 0,
      let form = unsafe ValueForm(tag: bytes[0])
    else { return nil }
    var slot = ColumnSlot(.null)
    guard unsafe form.read(base, 1, bytes.count - 1, into: &slot) else { return nil }
    let row = RowBuffer(columns: 1)
    row[0] = slot
    return row.value(at: 0)
  }
}
