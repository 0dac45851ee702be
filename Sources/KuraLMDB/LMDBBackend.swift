public import KuraCore

/// The backend for LMDB files that Kura made; those of other programs are only read.
///
/// A store is one file; liblmdb keeps the readers of all processes in a second one beside it, whose
/// name ends in `-lock`.
public struct LMDBBackend: StorageBackend {
  private let settings: LMDBEnvironment.Settings

  /// Makes the backend.
  public init() { settings = LMDBEnvironment.Settings() }

  /// Makes the backend with a memory map of a size of its own at first, which grows as it must.
  package init(firstMapSize: Int) {
    settings = LMDBEnvironment.Settings(firstMapSize: firstMapSize)
  }

  /// LMDB.
  public var format: StoreFormat { .lmdb }

  /// Whether the bytes begin with a meta page of LMDB 0.9 for 64 bits in little-endian order.
  public func recognises(_ header: FileHeader) -> Bool {
    header.has([0xDE, 0xC0, 0xEF, 0xBE, 1, 0, 0, 0], at: 16)
  }

  /// Opens a file, or makes a store in a file or in memory.
  ///
  /// A file of another program can be opened for reading; its databases are models of entries.
  public func open(_ location: StoreLocation, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine
  {
    try LMDBEngine.open(location, options, settings)
  }
}
