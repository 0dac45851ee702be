#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension OperationExecutor {
  /// Puts a record into quarantine.
  func quarantine(_ row: RowBuffer, _ layout: ModelLayout, _ reason: String) throws(StoreError) {
    if work.quarantined == 0, try !Quarantine.exists(transaction) {
      try transaction.apply(.createModel(Quarantine.model))
    }
    let values = Dictionary(
      layout.columns.enumerated().map { ($1.name, row.value(at: $0)) },
      uniquingKeysWith: { first, _ in first })
    let record = RowBuffer(columns: Quarantine.layout.columns.count)
    record.setValue(.text(migration.id), at: 1)
    record.setValue(.text(layout.name), at: 2)
    record.setValue(.text(reason), at: 3)
    record.setValue(.text(Schema.json(values)), at: 4)
    try transaction.write(record, into: Quarantine.layout, mode: .insert)
    note { $0.quarantined += 1 }
  }
}

extension Quarantine {
  /// Whether the store has a quarantine.
  static func exists(_ transaction: any EngineReadTransaction) throws(StoreError) -> Bool {
    try transaction.storedSchema(detailing: []).models.contains { $0.name == name }
  }
}

extension ReadTransaction {
  /// Reads the records that migrations put into quarantine, in their order.
  ///
  /// - Throws: ``StoreError/Code/transactionEnded`` and what reading throws.
  public func quarantinedRecords() throws(StoreError) -> [QuarantinedRecord] {
    guard try Quarantine.exists(engineTransaction) else { return [] }
    let cursor = try engineTransaction.cursor(
      for: BoundQuery(layout: Quarantine.layout, order: [BoundSortTerm(column: 0)]))
    defer { cursor.close() }
    let row = RowBuffer(columns: Quarantine.layout.columns.count)
    var records: [QuarantinedRecord] = []
    while try cursor.next(into: row) {
      func text(_ column: Int) -> String { row.value(at: column).plainText ?? "" }
      guard case .integer(let number) = row.value(at: 0),
        let values = try? JSONDecoder().decode(
          [String: StoredValue].self, from: Data(text(4).utf8))
      else {
        throw located(
          StoreError(
            .undecodable, "a record in quarantine cannot be read",
            suggestion: "check the file"))
      }
      records.append(
        QuarantinedRecord(
          number: number, migration: text(1), model: text(2), reason: text(3), values: values))
    }
    return records
  }
}
