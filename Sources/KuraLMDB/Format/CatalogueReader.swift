import KuraCore

/// Reads metadata and catalogue from a snapshot, whatever its bytes come from.
struct CatalogueReader<Snapshot: KeyValueSnapshot> {
  let snapshot: Snapshot
  let database: Snapshot.Database

  /// Begins to read; `nil` when the file is none of Kura's.
  init?(_ snapshot: Snapshot) throws(StoreError) {
    guard let database = try snapshot.database(LMDBFormat.metadataDatabase) else { return nil }
    self.snapshot = snapshot
    self.database = database
  }

  /// The bytes of a key, if there are any.
  func bytes(_ key: [UInt8]) throws(StoreError) -> UnsafeRawBufferPointer? {
    let whole = OrderedKey()
    for byte in key { whole.append(byte) }
    return unsafe try snapshot.value(whole.bytes, in: database)
  }

  /// Throws unless this code reads the file's format.
  func checkFormat() throws(StoreError) {
    guard let bytes = unsafe try bytes(LMDBFormat.MetadataKey.format), bytes.count <= 10,
      let version = unsafe Int(String(decoding: bytes, as: UTF8.self)), version > 0
    else {
      throw StoreError(
        .damaged, "the store does not say the version of its format",
        suggestion: "restore a backup")
    }
    guard version <= LMDBFormat.version else {
      throw StoreError(
        .newerFormat, "a newer version of Kura made the file", found: "format \(version)",
        expected: "format \(LMDBFormat.version)", suggestion: "update Kura")
    }
  }

  /// The counters of the catalogue.
  func counters() throws(StoreError) -> Catalogue.Counters {
    guard let bytes = unsafe try bytes(LMDBFormat.MetadataKey.next) else {
      throw StoreError(
        .damaged, "the store's catalogue is missing", suggestion: "restore a backup")
    }
    return unsafe try CatalogueJSON.decode(bytes)
  }

  /// The number of changes of the catalogue, in a form that is cheap to compare.
  func counterBytes() throws(StoreError) -> UnsafeRawBufferPointer? {
    unsafe try bytes(LMDBFormat.MetadataKey.next)
  }

  /// The whole catalogue.
  func catalogue() throws(StoreError) -> Catalogue {
    try checkFormat()
    let counters = try counters()
    var models: [UInt32: CatalogueModel] = [:]
    var names: Set<String> = []
    let prefix = LMDBFormat.MetadataKey.models
    let cursor = try snapshot.cursor(database)
    defer { cursor.close() }
    let start = OrderedKey()
    for byte in prefix { start.append(byte) }
    var isFound = unsafe try cursor.seek(start.bytes)
    while isFound, unsafe cursor.key.starts(with: prefix) {
      let model = unsafe try CatalogueModel(json: cursor.value)
      guard unsafe cursor.key.elementsEqual(LMDBFormat.MetadataKey.model(model.id)),
        model.id < counters.model, model.indexes.allSatisfy({ $0.id < counters.index }),
        names.insert(model.name).inserted
      else {
        throw StoreError(
          .damaged, "the catalogue's entry of \"\(model.name.prefix(80))\" contradicts itself",
          suggestion: "restore a backup")
      }
      models[model.id] = model
      isFound = try cursor.next()
    }
    return Catalogue(counters, models)
  }

  /// The schema that the file records; `nil` when none was set.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the record cannot be read.
  func schema() throws(StoreError) -> Schema? {
    guard let bytes = unsafe try bytes(LMDBFormat.MetadataKey.schema) else { return nil }
    do {
      return unsafe try Schema(json: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw StoreError(
        .damaged, "the file's record of its schema cannot be read: \(error.message)",
        suggestion: "restore a backup")
    }
  }

  /// A value of the metadata.
  func value(_ name: String) throws(StoreError) -> StoredValue? {
    let key = LMDBFormat.MetadataKey.value(name)
    guard let bytes = unsafe try bytes(key) else { return nil }
    guard let value = unsafe MetadataValue.value(bytes) else {
      throw StoreError(
        .undecodable, "the metadata value \"\(name.prefix(80))\" cannot be read",
        suggestion: "set it again")
    }
    return value
  }
}
