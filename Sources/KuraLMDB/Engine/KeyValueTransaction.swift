import KuraCore

/// One snapshot of a file, whatever its bytes come from.
class KeyValueTransaction<Snapshot: KeyValueSnapshot>: EngineReadTransaction, RecordSources {
  final let snapshot: Snapshot
  final let life: TransactionLife
  final let limits: ExecutionLimits?
  /// The catalogue; `nil` when Kura did not make the file.
  final private(set) var catalogue: Catalogue?
  private var sources: [ObjectIdentifier: ModelSource<Snapshot>] = [:]
  /// The model of the last call: most calls are about the same one.
  private final var lastSource: ModelSource<Snapshot>?
  private final var lastReader: RecordReader?
  private let keyRow = RowBuffer(columns: 1)
  private let keyBytes = OrderedKey()

  init(
    _ snapshot: Snapshot, _ catalogue: Catalogue?, path: String?, limits: ExecutionLimits?
  ) {
    self.snapshot = snapshot
    self.catalogue = catalogue
    self.limits = limits
    life = TransactionLife(path)
  }

  /// Throws after the end.
  func checkOpen() throws(StoreError) { try life.check() }

  /// Whether walks must not rely on the bytes staying where they are.
  var mayChange: Bool { false }

  func end() { life.isEnded = true }

  /// Not known.
  var commitNumber: UInt64? { nil }

  /// Takes over a changed catalogue.
  final func setCatalogue(_ changed: Catalogue) {
    catalogue = changed
    sources.removeAll()
    lastSource = nil
    lastReader = nil
  }

  // MARK: Models

  /// The model of a layout in this snapshot.
  @inline(__always)
  final func source(_ layout: ModelLayout) throws(StoreError) -> ModelSource<Snapshot> {
    if let lastSource, lastSource.layout === layout { return lastSource }
    return try findSource(layout)
  }

  private final func findSource(_ layout: ModelLayout) throws(StoreError) -> ModelSource<Snapshot> {
    let identity = ObjectIdentifier(layout)
    lastReader = nil
    if let source = sources[identity] {
      lastSource = source
      return source
    }
    let source = try located { () throws(StoreError) in
      guard let catalogue else {
        throw StoreError(.unknownModel, "there is no model \"\(layout.name.prefix(80))\"")
      }
      let binding: ModelBinding
      do throws(StoreError) {
        binding = try catalogue.binding(layout)
      } catch {
        throw try contradiction(layout) ?? error
      }
      return try ModelSource(snapshot, binding, life, limits: limits, mayChange: mayChange)
    }
    sources[identity] = source
    lastSource = source
    return source
  }

  /// What is wrong with a file whose catalogue lacks a model or property that its own schema has.
  private final func contradiction(_ layout: ModelLayout) throws(StoreError) -> StoreError? {
    guard let schema = try CatalogueReader(snapshot)?.schema(),
      let model = schema.model(named: layout.name), ModelLayout(model).columns == layout.columns
    else { return nil }
    return StoreError(
      .damaged,
      "the recorded schema describes \"\(layout.name)\" in another way than the catalogue",
      suggestion: "`store-inspect check --deep` says more")
  }

  func recordSource(_ layout: ModelLayout) throws(StoreError) -> any RecordSource {
    try source(layout)
  }

  /// Adds the path to an error.
  final func located<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    do {
      return try body()
    } catch {
      throw error.at(life.path)
    }
  }

  /// The bytes of a key as the records' database has them; valid until the next call.
  ///
  /// - Throws: ``StoreError/Code/wrongKey``.
  final func bytes(_ key: RecordKey, _ binding: ModelBinding) throws(StoreError)
    -> UnsafeRawBufferPointer
  {
    keyBytes.truncate()
    if binding.hasIntegerKey, key.rest.isEmpty, case .integer(let number) = key.first {
      keyBytes.append(integer: UInt64(bitPattern: number))
      return unsafe keyBytes.bytes
    }
    let layout = binding.layout
    guard key.count == binding.keyColumns.count else {
      throw StoreError(
        .wrongKey, "the key of \"\(layout.name)\" has another number of values", path: life.path,
        found: "\(key.count)", expected: "\(binding.keyColumns.count)")
    }
    for (value, column) in zip(key.values, binding.keyColumns) {
      let property = layout.columns[column]
      do {
        keyRow.reset()
        keyRow.setValue(try value.coerced(to: property.type, isOptional: false), at: 0)
        keyBytes.append(keyRow[0])
      } catch {
        throw StoreError(
          .wrongKey, "the key property \"\(layout.name)\".\"\(property.name)\" has another type",
          path: life.path, found: value.typeName, expected: property.type.rawValue)
      }
    }
    _ = keyBytes.cutIfTooLong()
    return unsafe keyBytes.bytes
  }

  // MARK: Reading

  func storedSchema() throws(StoreError) -> StoredSchema {
    try checkOpen()
    return try located { () throws(StoreError) in
      try StoredSchemaReader(snapshot, catalogue).read()
    }
  }

  func metadata(_ name: String) throws(StoreError) -> StoredValue? {
    try checkOpen()
    return try located { () throws(StoreError) in
      try CatalogueReader(snapshot)?.value(name)
    }
  }

  @_specialize(where Snapshot == EnvironmentSnapshot)
  @_specialize(where Snapshot == PageSnapshot)
  func record(_ key: RecordKey, in model: ModelLayout, into row: RowBuffer) throws(StoreError)
    -> Bool
  {
    try checkOpen()
    let source = try source(model)
    let bytes = unsafe try bytes(key, source.binding)
    guard let value = unsafe try snapshot.value(bytes, in: source.records) else { return false }
    let reader: RecordReader
    if let lastReader {
      reader = lastReader
    } else {
      reader = RecordReader(source.binding, columns: model.columns.indices)
      lastReader = reader
    }
    if reader.mayCopy { row.reset() }
    do {
      unsafe try reader.read(key: bytes, value: value, into: row)
    } catch {
      throw error.at(life.path)
    }
    return true
  }

  func cursor(for query: BoundQuery) throws(StoreError) -> any RecordCursor {
    try checkOpen()
    return try located { () throws(StoreError) in try PreparedQuery(query, self).cursor() }
  }

  func aggregate(_ request: AggregateRequest) throws(StoreError) -> [StoredValue] {
    try checkOpen()
    return try located { () throws(StoreError) in
      let prepared = try PreparedQuery(request.query, self)
      return try prepared.source.aggregate(AggregateRequest(prepared.query, request.functions))
    }
  }

  func explain(_ query: BoundQuery) throws(StoreError) -> [String] {
    try checkOpen()
    return try located { () throws(StoreError) in try PreparedQuery(query, self).explain() }
  }
}
