import KuraCore

extension ModelWriter {
  /// Notes changes from now on, if anybody wants those of the model.
  func note(in recorder: ChangeRecorder?) {
    log = recorder?.log(of: binding.model.name)
    giveUpFullLog()
  }

  /// Notes a new record; the row is one of all properties.
  func noteInsertion(of row: RowBuffer) {
    log?.note(recordKey(row), .insertion)
    giveUpFullLog()
  }

  /// Notes that a record goes.
  func noteDeletion(of row: RowBuffer) {
    log?.note(recordKey(row), .deletion)
    giveUpFullLog()
  }

  /// Notes that some properties of a record change.
  func noteModification(of row: RowBuffer, _ properties: ChangedProperties) {
    log?.note(recordKey(row), .modification, properties)
    giveUpFullLog()
  }

  /// Takes the last note back; "every record" stays.
  func takeBack() {
    guard let log else { return }
    log.truncate(to: log.count - 1)
  }

  /// Nothing more is noted when every record may have changed: then nothing is made ready for it.
  private func giveUpFullLog() {
    if let log, log.isFull { self.log = nil }
  }

  private func recordKey(_ row: RowBuffer) -> RecordKey {
    if numberColumn >= 0 { return RecordKey(.integer(row[numberColumn].integer)) }
    let columns = binding.keyColumns
    return RecordKey(
      first: columns.first.map { row.value(at: $0) } ?? .null,
      rest: columns.dropFirst().map { row.value(at: $0) })
  }

  /// The columns whose values in ``oldRow`` and in another row are not the same.
  func changes(to row: RowBuffer) -> ChangedProperties {
    var changed = ChangedProperties()
    for column in 0..<ruleCount where !oldRow[column].isSame(as: row[column]) {
      guard places.indices.contains(column), places[column] >= 0 else { return .all }
      changed.insert(places[column])
    }
    return changed
  }
}

extension LMDBWriteTransaction {
  /// Notes that the record of a writer's old row becomes another one of the same key, unless nothing
  /// differs.
  func noteModification(_ writer: ModelWriter, to row: RowBuffer) {
    if writer.places.isEmpty { writer.places = places(of: writer.binding.model) }
    let changed = writer.changes(to: row)
    guard !changed.isEmpty else { return }
    writer.noteModification(of: writer.oldRow, changed)
  }

  /// The places of a model's properties in the description that the file records: added ones are the
  /// last in the catalogue, wherever the description has them.
  private func places(of model: CatalogueModel) -> [Int] {
    // A record that cannot be read is no reason to refuse writing: then all properties change.
    let places = try? PropertyPlaces.of(snapshot)
    let known = places?.models[model.name] ?? [:]
    return model.properties.map { known[$0.name] ?? -1 }
  }
}

/// The places of properties in the models of a recorded schema.
struct PropertyPlaces: Sendable {
  /// The record that they are of.
  private let json: [UInt8]
  /// The places by the models' names and their own.
  let models: [String: [String: Int]]

  /// Those of a snapshot's schema, kept for the next time; `nil` when none is recorded.
  static func of(_ snapshot: EnvironmentSnapshot) throws(StoreError) -> PropertyPlaces? {
    guard let reader = try CatalogueReader(snapshot),
      let bytes = unsafe try reader.bytes(LMDBFormat.MetadataKey.schema)
    else { return nil }
    let monitor = snapshot.environment.monitor
    if let kept = monitor.withLock({ $0.places }), unsafe kept.json.elementsEqual(bytes) {
      return kept
    }
    let json = unsafe Array(bytes)
    guard let schema = try reader.schema() else { return nil }
    var models: [String: [String: Int]] = [:]
    for model in schema.models {
      models[model.name] = Dictionary(
        model.properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first }
      )
    }
    let found = PropertyPlaces(json: json, models: models)
    monitor.withLock { $0.places = found }
    return found
  }
}
