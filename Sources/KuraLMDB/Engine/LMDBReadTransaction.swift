import KuraCore

/// One snapshot of an LMDB file that liblmdb has open.
final class LMDBReadTransaction: KeyValueTransaction<EnvironmentSnapshot> {
  private let engine: LMDBEngine

  init(
    _ snapshot: EnvironmentSnapshot, _ catalogue: Catalogue?, _ engine: LMDBEngine,
    limits: ExecutionLimits?
  ) {
    self.engine = engine
    super.init(snapshot, catalogue, path: snapshot.environment.path, limits: limits)
  }

  deinit { end() }

  override func end() {
    guard !life.isEnded else { return }
    super.end()
    if let transaction = unsafe snapshot.close() {
      unsafe snapshot.environment.endReading(transaction)
    }
    engine.giveReaderBack()
  }
}
