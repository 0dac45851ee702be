import KuraCore

/// One snapshot of a file that is read page by page.
final class PageReadTransaction: KeyValueTransaction<PageSnapshot> {
  private let engine: PageEngine

  init(_ snapshot: PageSnapshot, _ catalogue: Catalogue?, _ engine: PageEngine) {
    self.engine = engine
    super.init(snapshot, catalogue, path: engine.path, limits: engine.options.limits)
  }

  deinit { end() }

  override var commitNumber: UInt64? { snapshot.meta.transaction }

  override func end() {
    guard !life.isEnded else { return }
    super.end()
    engine.giveReaderBack()
  }
}
