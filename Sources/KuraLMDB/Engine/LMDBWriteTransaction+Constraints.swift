import KuraCore

extension LMDBWriteTransaction {
  // MARK: Unique indexes

  /// Throws when another record has the components of an entry that was begun.
  func checkUnique(_ index: ModelWriter.Index, _ writer: ModelWriter) throws(StoreError) {
    guard !index.entry.hasNull else { return }
    let isWhole = index.entry.componentCount <= OrderedKey.longestBound
    let probe = unsafe index.entry.probe
    let cursor = try index.lookUp(in: snapshot)
    var isFound = unsafe try cursor.seek(probe)
    while isFound, unsafe ByteOrder.begins(cursor.key, with: probe) {
      guard let recordKey = unsafe IndexEntry.recordKey(cursor.key, cursor.value) else {
        throw damagedIndex(writer)
      }
      if unsafe ByteOrder.compare(recordKey, writer.key.bytes) != 0 {
        let isEqual: Bool
        if isWhole {
          isEqual = true
        } else {
          isEqual = unsafe try hasComponents(of: index, recordKey, writer)
        }
        guard !isEqual else { throw notUnique(index, writer) }
      }
      isFound = try cursor.next()
    }
  }

  /// Whether a record has the components of an entry that was begun; what cutting leaves of them does
  /// not tell.
  private func hasComponents(
    of index: ModelWriter.Index, _ recordKey: UnsafeRawBufferPointer, _ writer: ModelWriter
  ) throws(StoreError) -> Bool {
    guard let value = unsafe try snapshot.value(recordKey, in: writer.records.database) else {
      throw damagedIndex(writer)
    }
    let row = RowBuffer(columns: writer.binding.layout.columns.count)
    unsafe try writer.reader.readWhole(key: recordKey, value: value, into: row)
    let other = IndexEntry(columns: index.columns)
    other.begin(row)
    return unsafe ByteOrder.compare(other.key, index.entry.key) == 0
  }

  // MARK: References

  /// Throws when a reference that a row has and the old row, if any, has not points at no record.
  func checkReferences(_ row: RowBuffer, _ old: RowBuffer?, _ writer: ModelWriter)
    throws(StoreError)
  {
    for reference in writer.references {
      let slot = row[reference.column]
      guard slot.kind != .null else { continue }
      if let old, old[reference.column].compares(.equal, to: slot) { continue }
      writer.targetKey.truncate()
      writer.targetKey.append(slot)
      _ = writer.targetKey.cutIfTooLong()
      if reference.isOwn, unsafe ByteOrder.compare(writer.targetKey.bytes, writer.key.bytes) == 0 {
        continue
      }
      guard let target = reference.target,
        unsafe try snapshot.value(writer.targetKey.bytes, in: target) != nil
      else { throw broken(writer, reference.column) }
    }
  }

  /// Throws when a record that gets another key would still refer to itself by the old one.
  func checkOwnReferences(_ row: RowBuffer, from oldKey: OrderedKey, _ writer: ModelWriter)
    throws(StoreError)
  {
    for reference in writer.references where reference.isOwn && row[reference.column].kind != .null
    {
      writer.targetKey.truncate()
      writer.targetKey.append(row[reference.column])
      _ = writer.targetKey.cutIfTooLong()
      guard unsafe ByteOrder.compare(writer.targetKey.bytes, oldKey.bytes) != 0 else {
        throw broken(writer, reference.column)
      }
    }
  }

  /// Whether a record, other than the writer's own, refers to the record of a key.
  func isReferred(
    by referrer: ModelWriter.Referrer, to key: UnsafeRawBufferPointer, of writer: ModelWriter
  ) throws(StoreError) -> Bool {
    var isReferred = false
    unsafe try forEachReferring(referrer, to: key, of: writer) { _ in
      isReferred = true
      return false
    }
    return isReferred
  }

  /// The key of a record, other than the writer's own, that refers to the record of a key.
  ///
  /// A copy: the bytes of an entry belong to the cursor that found it.
  func firstReferring(
    _ referrer: ModelWriter.Referrer, to key: UnsafeRawBufferPointer, of writer: ModelWriter
  ) throws(StoreError) -> OrderedKey? {
    var found: OrderedKey?
    unsafe try forEachReferring(referrer, to: key, of: writer) { recordKey throws(StoreError) in
      let copy = OrderedKey()
      unsafe copy.append(recordKey)
      found = copy
      return false
    }
    return found
  }

  /// The keys of all records, other than the writer's own, that refer to the record of a key.
  ///
  /// - Throws: ``StoreError/Code/damaged`` for an entry of a record that does not: what is deleted
  ///   because of it would be lost.
  func allReferring(
    _ referrer: ModelWriter.Referrer, to key: UnsafeRawBufferPointer, of writer: ModelWriter
  ) throws(StoreError) -> [[UInt8]] {
    guard let referral = unsafe try referral(referrer, to: key, of: writer) else { return [] }
    var found: [[UInt8]] = []
    unsafe try forEachReferring(referrer, to: key, of: writer) { recordKey throws(StoreError) in
      if referral.index != nil {
        guard
          unsafe try refers(
            recordKey, referral.referring, referral.column, referral.component, isTagged: true)
        else { throw damagedIndex(referral.referring) }
      }
      unsafe found.append(Array(recordKey))
      return true
    }
    return found
  }

  private func forEachReferring(
    _ referrer: ModelWriter.Referrer, to key: UnsafeRawBufferPointer, of writer: ModelWriter,
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let referral = unsafe try referral(referrer, to: key, of: writer) else { return }
    unsafe try forEach(referral) { recordKey throws(StoreError) in
      if unsafe referral.referring === writer && ByteOrder.compare(recordKey, key) == 0 {
        return true
      }
      return unsafe try body(recordKey)
    }
  }

  /// Where the records are that refer to one record: it can be asked for when that one is gone.
  struct Referral {
    let target: ModelWriter
    let referring: ModelWriter
    let column: Int
    let index: ModelWriter.Index?
    /// The key of the record that is referred to, as the index or the primary key has it.
    let component: OrderedKey
  }

  func referral(
    _ referrer: ModelWriter.Referrer, to key: UnsafeRawBufferPointer, of writer: ModelWriter
  ) throws(StoreError) -> Referral? {
    let other = try self.writer(referrer.model.id)
    guard let column = other.binding.column(referrer.property.id) else { return nil }
    let index = other.indexes.first { $0.columns.first == column }
    let component = OrderedKey()
    unsafe try appendKey(key, of: writer, isTagged: index != nil, to: component)
    return Referral(
      target: writer, referring: other, column: column, index: index, component: component)
  }

  func forEach(
    _ referral: Referral, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let (other, component) = (referral.referring, referral.component)
    let isWhole = component.count <= OrderedKey.longestBound
    let probe = unsafe UnsafeRawBufferPointer(
      rebasing: component.bytes.prefix(OrderedKey.longestBound))
    let cursor: EnvironmentCursor
    if let index = referral.index {
      cursor = try index.lookUp(in: snapshot)
    } else {
      // The primary key begins with the reference, as that of a list's elements.
      cursor = try snapshot.cursor(other.records.database)
    }
    var isFound = unsafe try cursor.seek(probe)
    while isFound, unsafe ByteOrder.begins(cursor.key, with: probe) {
      let recordKey =
        unsafe referral.index == nil
        ? cursor.key : IndexEntry.recordKey(cursor.key, cursor.value)
      guard let recordKey = unsafe recordKey else { throw damagedIndex(other) }
      var isReferring = isWhole
      if !isWhole {
        isReferring = unsafe try refers(
          recordKey, other, referral.column, component, isTagged: referral.index != nil)
      }
      if isReferring, unsafe try !body(recordKey) { return }
      isFound = try cursor.next()
    }
  }

  /// Appends the key value of a record as an index or a key has it.
  private func appendKey(
    _ key: UnsafeRawBufferPointer, of writer: ModelWriter, isTagged: Bool,
    to component: OrderedKey
  ) throws(StoreError) {
    guard key.count >= OrderedKey.longestKey, let column = writer.binding.keyColumns.first else {
      if isTagged, let type = writer.binding.keyTypes.first { component.append(type.orderRank) }
      unsafe component.append(key)
      return
    }
    // A cut key does not give its value back; the record does.
    guard let value = unsafe try snapshot.value(key, in: writer.records.database) else {
      throw damagedIndex(writer)
    }
    let row = RowBuffer(columns: writer.binding.layout.columns.count)
    unsafe try writer.reader.readWhole(key: key, value: value, into: row)
    if isTagged { component.appendTagged(row[column]) } else { component.append(row[column]) }
  }

  /// Whether the reference of a record is a value whose bytes are too long to tell by an entry.
  private func refers(
    _ recordKey: UnsafeRawBufferPointer, _ writer: ModelWriter, _ column: Int,
    _ component: OrderedKey, isTagged: Bool
  ) throws(StoreError) -> Bool {
    guard let value = unsafe try snapshot.value(recordKey, in: writer.records.database) else {
      throw damagedIndex(writer)
    }
    let row = RowBuffer(columns: writer.binding.layout.columns.count)
    unsafe try writer.reader.readWhole(key: recordKey, value: value, into: row)
    let found = OrderedKey()
    if isTagged { found.appendTagged(row[column]) } else { found.append(row[column]) }
    return unsafe ByteOrder.compare(found.bytes, component.bytes) == 0
  }

  // MARK: Errors

  func shortRow(_ model: ModelLayout) -> StoreError {
    StoreError(
      .internalError, "the row has fewer columns than \"\(model.name)\"", path: life.path)
  }

  func refused(_ slot: ColumnSlot, _ binding: ModelBinding, _ column: Int) -> StoreError {
    let property = binding.layout.columns[column]
    let isNotANumber = slot.kind == .double && slot.double.isNaN
    return StoreError(
      isNotANumber || slot.kind == .malformedText ? .notStorable : .wrongType,
      "a value for \"\(binding.layout.name)\".\"\(property.name)\" cannot be stored",
      path: life.path, found: isNotANumber ? "not-a-number" : "\(slot.kind)",
      expected: property.type.rawValue)
  }

  func missing(_ binding: ModelBinding, _ column: Int) -> StoreError {
    StoreError(
      .missingValue, "a required property has no value", path: life.path,
      found: name(binding, column))
  }

  func duplicate(_ writer: ModelWriter) -> StoreError {
    StoreError(
      .duplicateKey, "there is already a record with this key", path: life.path,
      found: names(writer.binding, writer.binding.keyColumns),
      suggestion: "use another key, or upsert")
  }

  private func notUnique(_ index: ModelWriter.Index, _ writer: ModelWriter) -> StoreError {
    StoreError(
      .notUnique, "another record has the same value of a unique property", path: life.path,
      found: names(writer.binding, index.columns))
  }

  private func broken(_ writer: ModelWriter, _ column: Int) -> StoreError {
    StoreError(
      .brokenReference, "a reference points at no record", path: life.path,
      found: name(writer.binding, column))
  }

  func stillReferred(_ writer: ModelWriter) -> StoreError {
    StoreError(
      .brokenReference, "a record to delete is still referred to", path: life.path,
      found: writer.binding.layout.name)
  }

  func damagedIndex(_ writer: ModelWriter) -> StoreError {
    StoreError(
      .damaged, "an index of \"\(writer.binding.layout.name)\" does not fit its records",
      path: life.path, suggestion: "check the file with `store-inspect check`")
  }

  private func names(_ binding: ModelBinding, _ columns: [Int]) -> String {
    columns.map { name(binding, $0) }.joined(separator: ", ")
  }

  private func name(_ binding: ModelBinding, _ column: Int) -> String {
    "\(binding.layout.name).\(binding.layout.columns[column].name)"
  }
}
