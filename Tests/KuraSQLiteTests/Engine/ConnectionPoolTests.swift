import KuraCore
import Testing

@testable import KuraSQLite

@Suite struct ConnectionPoolTests {
  /// A file whose connections can be made stale.
  private final class ChangingSource: ConnectionSource {
    let path: String
    let isStale = Monitor(false)
    let finishCount = Monitor(0)
    var notices: [String] { [] }

    init(_ path: String) { self.path = path }
    func openReader() throws(StoreError) -> SQLiteConnection {
      try SQLiteConnection(path, .create)
    }
    func openWriter() throws(StoreError) -> SQLiteConnection {
      throw StoreError(.readOnly, "no writer")
    }
    func isCurrent() throws(StoreError) -> Bool {
      isStale.withLock { isStale in
        defer { isStale = false }
        return !isStale
      }
    }
    func finish() { finishCount.withLock { $0 += 1 } }
  }

  @Test("a reader that was in use when the file changed is not used again")
  func staleReaderInUse() throws {
    let folder = try PrivateFolder.make()
    defer { PrivateFolder.remove(folder) }
    let source = ChangingSource(folder + "/changing.sqlite")
    let pool = ConnectionPool(source, EngineOptions(maximumReaders: 2))
    let old = try pool.takeReader()
    source.isStale.withLock { $0 = true }
    let new = try pool.takeReader()
    pool.put(new, isUsable: true)
    pool.put(old, isUsable: true)
    let (first, second) = (try pool.takeReader(), try pool.takeReader())
    #expect(first.connection === new.connection)
    #expect(second.connection !== old.connection)
    pool.put(first, isUsable: true)
    pool.close()
    #expect(source.finishCount.withLock { $0 } == 0)
    pool.put(second, isUsable: true)
    #expect(source.finishCount.withLock { $0 } == 1)
  }
}
