import KuraCore

extension LMDBWriteTransaction {
  // MARK: One record

  @discardableResult
  func write(_ row: RowBuffer, into model: ModelLayout, mode: WriteMode) throws(StoreError)
    -> Int64?
  {
    try checkOpen()
    let writer = try writer(model)
    guard row.count >= model.columns.count else { throw shortRow(model) }
    let whole = isLastLayoutWhole ? row : wholeRow(row, try source(model).binding, writer)
    try check(whole, writer)
    let number = try chooseNumber(whole, writer)
    let storesKey = writer.makeKey(whole)
    defer { if number != nil { whole[writer.numberColumn] = ColumnSlot(.null) } }
    if mode == .upsert,
      let old = unsafe try snapshot.value(writer.key.bytes, in: writer.records.database)
    {
      unsafe try writer.reader.readWhole(key: writer.key.bytes, value: old, into: writer.oldRow)
      try replace(writer, with: whole, storesKey: storesKey)
    } else {
      try insert(whole, writer, storesKey: storesKey)
    }
    return number
  }

  func update(_ key: RecordKey, in model: ModelLayout, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Bool
  {
    try checkOpen()
    let writer = try writer(model)
    let binding = try source(model).binding
    try checkRow(row, binding, columns)
    writer.key.truncate()
    unsafe writer.key.append(try bytes(key, binding))
    return try updateCurrent(writer, binding, columns, row)
  }

  func delete(_ key: RecordKey, in model: ModelLayout) throws(StoreError) -> Bool {
    try checkOpen()
    let writer = try writer(model)
    let binding = try source(model).binding
    writer.key.truncate()
    unsafe writer.key.append(try bytes(key, binding))
    return try deleteCurrent(writer)
  }

  func delete(_ records: [(model: ModelLayout, key: RecordKey)]) throws(StoreError) -> [Bool] {
    try checkOpen()
    return try atomically { () throws(StoreError) in
      var (denials, found): (Denials, [Bool]) = (Denials(), [])
      for record in records {
        let writer = try writer(record.model)
        let binding = try source(record.model).binding
        writer.key.truncate()
        unsafe writer.key.append(try bytes(record.key, binding))
        found.append(try deleteCurrent(writer, &denials))
      }
      try check(denials)
      return found
    }
  }

  // MARK: Many records

  func update(matching query: BoundQuery, columns: [Int], from row: RowBuffer)
    throws(StoreError) -> Int
  {
    try checkOpen()
    let source = try source(query.layout)
    try checkRow(row, source.binding, columns)
    return try changeEach(query) { writer throws(StoreError) in
      try updateCurrent(writer, source.binding, columns, row)
    }
  }

  func delete(matching query: BoundQuery) throws(StoreError) -> Int {
    try checkOpen()
    var denials = Denials()
    return try changeEach(query) { writer throws(StoreError) in
      try deleteCurrent(writer, &denials)
    } finally: { () throws(StoreError) in
      try check(denials)
    }
  }

  /// Runs a body for each record of a query, whose key is then the writer's, and another at the end;
  /// after an error nothing is changed.
  private func changeEach(
    _ query: BoundQuery, _ body: (ModelWriter) throws(StoreError) -> Bool,
    finally: () throws(StoreError) -> Void = {}
  ) throws(StoreError) -> Int {
    let keys = try located { () throws(StoreError) in
      let prepared = try PreparedQuery(query, self)
      return try prepared.source.keys(matching: prepared.query)
    }
    return try atomically { () throws(StoreError) in
      var count = 0
      while try keys.next() {
        let writer = try writer(query.layout)
        writer.key.truncate()
        unsafe writer.key.append(keys.recordKey)
        if try body(writer) { count += 1 }
      }
      try finally()
      return count
    }
  }

  // MARK: Steps

  /// A row of all the model's properties in their order, made of the caller's.
  private func wholeRow(_ row: RowBuffer, _ binding: ModelBinding, _ writer: ModelWriter)
    -> RowBuffer
  {
    for (position, column) in binding.columns.enumerated() {
      writer.newRow[position] = column.map { row[$0] } ?? binding.defaults[position]
    }
    return writer.newRow
  }

  /// Checks types and nulls of a whole row.
  private func check(_ row: RowBuffer, _ writer: ModelWriter) throws(StoreError) {
    var missingColumn = -1
    guard row.count >= writer.ruleCount else { throw shortRow(writer.binding.layout) }
    let (slots, rules) = unsafe (row.storage, writer.rules)
    for column in 0..<writer.ruleCount {
      let rule = unsafe rules[column]
      if unsafe slots[column].kind == rule.plainKind { continue }
      let slot = unsafe slots[column]
      if slot.kind == .null {
        guard missingColumn < 0, !rule.takesNull, column != writer.numberColumn else { continue }
        missingColumn = column
      } else if !rule.form.accepts(slot) {
        throw refused(slot, writer.binding, column)
      }
    }
    guard missingColumn < 0 else { throw missing(writer.binding, missingColumn) }
  }

  /// Checks the values of some of a caller's columns.
  private func checkRow(_ row: RowBuffer, _ binding: ModelBinding, _ columns: [Int])
    throws(StoreError)
  {
    guard row.count >= binding.layout.columns.count else { throw shortRow(binding.layout) }
    for column in columns {
      guard binding.forms.indices.contains(column) else {
        throw StoreError(
          .unknownProperty, "\"\(binding.layout.name)\" has no such property", path: life.path)
      }
      let slot = row[column]
      guard binding.forms[column].accepts(slot) else { throw refused(slot, binding, column) }
    }
    for column in columns where row[column].kind == .null && !binding.takesNull[column] {
      throw missing(binding, column)
    }
  }

  /// Replaces a null in a key of one integer by the number after the greatest one.
  @inline(__always)
  private func chooseNumber(_ row: RowBuffer, _ writer: ModelWriter) throws(StoreError) -> Int64? {
    guard writer.numberColumn >= 0, row[writer.numberColumn].kind == .null else { return nil }
    return try nextNumber(row, writer)
  }

  @inline(never)
  private func nextNumber(_ row: RowBuffer, _ writer: ModelWriter) throws(StoreError) -> Int64 {
    let binding = writer.binding
    var number: Int64 = 1
    if let last = unsafe try snapshot.lastKey(of: writer.records) {
      guard last.count == 8 else {
        throw StoreError(
          .damaged, "a key of \"\(binding.layout.name)\" is no integer", path: life.path,
          suggestion: "check the file")
      }
      let word = unsafe UInt64(bigEndian: last.loadUnaligned(as: UInt64.self)) ^ (1 << 63)
      let (next, overflow) = Int64(bitPattern: word).addingReportingOverflow(1)
      guard !overflow else {
        throw StoreError(
          .limitReached, "\"\(binding.layout.name)\" has a record with the greatest number",
          path: life.path, suggestion: "give the record a key")
      }
      number = next
    }
    row[writer.numberColumn] = ColumnSlot(.integer, UInt64(bitPattern: number))
    return number
  }

  /// Writes a record whose key must be new.
  private func insert(_ row: RowBuffer, _ writer: ModelWriter, storesKey: Bool)
    throws(StoreError)
  {
    if writer.hasConstraints {
      guard unsafe try snapshot.value(writer.key.bytes, in: writer.records.database) == nil else {
        throw duplicate(writer)
      }
    }
    if writer.hasIndexes {
      for index in writer.indexes {
        index.isChanged = true
        index.entry.begin(row)
        if index.model.isUnique { try checkUnique(index, writer) }
        unsafe index.entry.finish(writer.key.bytes)
      }
    }
    if writer.hasConstraints, checksReferences { try checkReferences(row, nil, writer) }
    let record = unsafe try writer.writer.write(row, storesKey: storesKey)
    try noteCuts(writer)
    // Before the write, which may move the bytes that the row borrows.
    if writer.log != nil { writer.noteInsertion(of: row) }
    guard unsafe try snapshot.put(writer.key.bytes, record, into: writer.records, isNew: true)
    else {
      writer.takeBack()
      throw duplicate(writer)
    }
    if writer.hasIndexes { for index in writer.indexes { try putEntry(index) } }
  }

  /// Sets columns of the record whose key is the writer's.
  func updateCurrent(
    _ writer: ModelWriter, _ binding: ModelBinding, _ columns: [Int], _ row: RowBuffer
  ) throws(StoreError) -> Bool {
    guard let old = unsafe try snapshot.value(writer.key.bytes, in: writer.records.database) else {
      return false
    }
    guard !columns.isEmpty else { return true }
    // What the row borrows of its key must stay when the writer's key becomes the new one.
    let oldKey = OrderedKeyCopy.take(writer)
    unsafe try writer.reader.readWhole(key: oldKey.bytes, value: old, into: writer.oldRow)
    let whole = writer.newRow
    for column in 0..<whole.count { whole[column] = writer.oldRow[column] }
    for (position, column) in binding.columns.enumerated() {
      if let column, columns.contains(column) { whole[position] = row[column] }
    }
    let storesKey = writer.makeKey(whole)
    if unsafe ByteOrder.compare(oldKey.bytes, writer.key.bytes) == 0 {
      try replace(writer, with: whole, storesKey: storesKey)
    } else {
      try move(writer, from: oldKey, with: whole, storesKey: storesKey)
    }
    return true
  }

  /// Writes a record in the place of the one in the writer's `oldRow`.
  private func replace(_ writer: ModelWriter, with row: RowBuffer, storesKey: Bool)
    throws(StoreError)
  {
    for index in writer.indexes {
      index.entry.begin(row)
      index.oldEntry.begin(writer.oldRow)
      index.isChanged = unsafe ByteOrder.compare(index.entry.key, index.oldEntry.key) != 0
      guard index.isChanged else { continue }
      if index.model.isUnique { try checkUnique(index, writer) }
      unsafe index.entry.finish(writer.key.bytes)
      unsafe index.oldEntry.finish(writer.key.bytes)
    }
    try checkReferences(row, writer.oldRow, writer)
    let record = unsafe try writer.writer.write(row, storesKey: storesKey)
    try noteCuts(writer)
    if writer.log != nil { noteModification(writer, to: row) }
    for index in writer.indexes where index.isChanged {
      guard unsafe try snapshot.delete(index.oldEntry.key, from: index.target) else {
        throw damagedIndex(writer)
      }
    }
    _ = unsafe try snapshot.put(writer.key.bytes, record, into: writer.records, isNew: false)
    for index in writer.indexes where index.isChanged { try putEntry(index) }
  }

  /// Writes a record under another key.
  private func move(
    _ writer: ModelWriter, from oldKey: OrderedKey, with row: RowBuffer, storesKey: Bool
  ) throws(StoreError) {
    guard unsafe try snapshot.value(writer.key.bytes, in: writer.records.database) == nil else {
      throw duplicate(writer)
    }
    for index in writer.indexes {
      index.isChanged = true
      index.entry.begin(row)
      index.oldEntry.begin(writer.oldRow)
      if index.model.isUnique,
        unsafe ByteOrder.compare(index.entry.key, index.oldEntry.key) != 0
      {
        try checkUnique(index, writer)
      }
      unsafe index.entry.finish(writer.key.bytes)
      unsafe index.oldEntry.finish(oldKey.bytes)
    }
    for referrer in writer.referrers {
      if unsafe try isReferred(by: referrer, to: oldKey.bytes, of: writer) {
        throw stillReferred(writer)
      }
    }
    try checkReferences(row, writer.oldRow, writer)
    try checkOwnReferences(row, from: oldKey, writer)
    let record = unsafe try writer.writer.write(row, storesKey: storesKey)
    try noteCuts(writer)
    if writer.log != nil {
      writer.noteDeletion(of: writer.oldRow)
      writer.noteInsertion(of: row)
    }
    for index in writer.indexes {
      _ = unsafe try snapshot.delete(index.oldEntry.key, from: index.target)
    }
    _ = unsafe try snapshot.delete(oldKey.bytes, from: writer.records)
    _ = unsafe try snapshot.put(writer.key.bytes, record, into: writer.records, isNew: true)
    for index in writer.indexes { try putEntry(index) }
  }

  func putEntry(_ index: ModelWriter.Index) throws(StoreError) {
    _ = unsafe try snapshot.put(
      index.entry.key, index.entry.value, into: index.target, isNew: false)
  }

  /// Notes the first cut keys of databases before they are written.
  func noteCuts(_ writer: ModelWriter) throws(StoreError) {
    // The bytes' count, because another module's property would have its exclusive access checked.
    if !writer.isCut, unsafe writer.key.bytes.count == OrderedKey.longestKey {
      let model = writer.binding.model
      // Perhaps a whole key of that length, which costs nothing but the trust in the order.
      try noteCut(model.database, of: model.id)
      writer.isCut = true
    }
    guard writer.hasIndexes else { return }
    for index in writer.indexes where index.isChanged && index.entry.isCut && !index.isCut {
      try noteCut(LMDBFormat.indexDatabase(index.model.id), of: writer.binding.model.id)
      index.isCut = true
    }
  }

  /// Removes the record of the writer's key and its index entries; references to it were seen to.
  func remove(_ writer: ModelWriter) throws(StoreError) {
    if writer.hasIndexes || writer.log != nil {
      guard let old = unsafe try snapshot.value(writer.key.bytes, in: writer.records.database)
      else {
        return
      }
      unsafe try writer.reader.readWhole(key: writer.key.bytes, value: old, into: writer.oldRow)
      if writer.log != nil { writer.noteDeletion(of: writer.oldRow) }
      for index in writer.indexes {
        index.oldEntry.begin(writer.oldRow)
        unsafe index.oldEntry.finish(writer.key.bytes)
      }
      for index in writer.indexes {
        guard unsafe try snapshot.delete(index.oldEntry.key, from: index.target) else {
          throw damagedIndex(writer)
        }
      }
    }
    _ = unsafe try snapshot.delete(writer.key.bytes, from: writer.records)
  }
}

/// A second key beside a writer's own.
private enum OrderedKeyCopy {
  static func take(_ writer: ModelWriter) -> OrderedKey {
    writer.oldKey.truncate()
    unsafe writer.oldKey.append(writer.key.bytes)
    return writer.oldKey
  }
}

extension RecordReader {
  /// Reads into a row of the reader's own, whose copied bytes are forgotten first.
  func readWhole(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, into row: RowBuffer
  ) throws(StoreError) {
    if mayCopy { row.reset() }
    unsafe try read(key: key, value: value, into: row)
  }
}
