import KuraCore

/// One model inside one snapshot: what the planner and the executor see of it.
final class ModelSource<Snapshot: KeyValueSnapshot>: RecordSource {
  let snapshot: Snapshot
  let life: TransactionLife
  let binding: ModelBinding
  let records: Snapshot.Database
  let limits: ExecutionLimits?
  /// Whether bytes must be copied, because the transaction may change them under a walk.
  let mayChange: Bool
  /// The databases of ``indexes``.
  let indexDatabases: [Snapshot.Database]
  private let offers: [IndexOffer]
  private let countAtBegin: Int64

  init(
    _ snapshot: Snapshot, _ binding: ModelBinding, _ life: TransactionLife,
    limits: ExecutionLimits?, mayChange: Bool
  ) throws(StoreError) {
    self.snapshot = snapshot
    self.binding = binding
    self.life = life
    self.limits = limits
    self.mayChange = mayChange
    let model = binding.model
    records = try snapshot.existing(model.database, of: model)
    let count = try snapshot.count(records)
    countAtBegin = count
    var offers: [IndexOffer] = []
    var databases: [Snapshot.Database] = []
    for index in model.indexes {
      let columns = index.properties.compactMap { binding.column($0) }
      guard columns.count == index.properties.count else { continue }
      let name = LMDBFormat.indexDatabase(index.id)
      let database = try snapshot.existing(name, of: model)
      databases.append(database)
      offers.append(
        IndexOffer(
          name: columns.map { binding.layout.columns[$0].name }.joined(separator: ", "),
          components: columns, isUnique: index.isUnique,
          isOrderTrusted: !model.cut.contains(name) && !model.cut.contains(model.database),
          estimatedCount: count))
    }
    self.offers = offers
    indexDatabases = databases
  }

  var layout: ModelLayout { binding.layout }

  var key: KeyOffer {
    KeyOffer(isOrderTrusted: !binding.model.cut.contains(binding.model.database))
  }

  /// The number now; in a write transaction it changes.
  var estimatedCount: Int64 {
    guard mayChange else { return countAtBegin }
    // A transaction that cannot count has failed, and says so with the next step.
    return (try? snapshot.count(records)) ?? countAtBegin
  }

  var indexes: [IndexOffer] {
    guard mayChange else { return offers }
    let count = estimatedCount
    return offers.map { offer in
      var offer = offer
      offer.estimatedCount = count
      return offer
    }
  }

  var isCountExact: Bool { true }

  func checkOpen() throws(StoreError) { try life.check() }

  func scan(_ path: AccessPath) throws(StoreError) -> any RecordScan {
    try life.check()
    switch path.database {
    case .primary: return try PrimaryScan(self, path)
    case .index(let position):
      guard indexes.indices.contains(position) else {
        throw StoreError(.internalError, "a plan names an index that there is not")
      }
      return try IndexScan(self, path, position)
    }
  }

  func appendRecordKey(_ value: ColumnSlot, to key: OrderedKey) {
    key.append(value)
    _ = key.cutIfTooLong()
  }

  func fetch(columns: [Int]) throws(StoreError) -> any RecordFetch {
    try life.check()
    return ModelFetch(self, columns: columns)
  }
}

extension KeyValueSnapshot {
  /// The database that the catalogue promises.
  func existing(_ name: String, of model: CatalogueModel) throws(StoreError) -> Database {
    guard let database = try database(name) else {
      throw StoreError(
        .damaged, "the database \"\(name)\" of \"\(model.name)\" is missing",
        suggestion: "check the file, or restore a backup")
    }
    return database
  }
}
