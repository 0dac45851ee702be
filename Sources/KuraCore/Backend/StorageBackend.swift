/// How files of one format are recognised and opened.
public protocol StorageBackend: Sendable {
  /// The format.
  var format: StoreFormat { get }

  /// Whether a file's first bytes are of this format. Never decides by the file's name.
  ///
  /// Called with the file's first bytes, at most ``FileHeader/maximumByteCount``; must not open it.
  func recognises(_ header: FileHeader) -> Bool

  /// Opens a file.
  ///
  /// - Parameter location: A file that ``recognises(_:)`` accepted, or a missing or empty one when
  ///   the options allow to create it, or memory.
  /// - Throws: ``StoreError`` of the kinds `cannotOpen`, `damaged`, `busy` and `environment`.
  func open(_ location: StoreLocation, _ options: EngineOptions) throws(StoreError)
    -> any StorageEngine

  /// Puts a copy that the caller checked in the place of a store, whole or not at all.
  ///
  /// The default throws that the backend cannot.
  ///
  /// - Parameter timeout: How long to wait for locks.
  /// - Throws: ``StoreError/Code/locked`` when this or another process has the store open,
  ///   ``StoreError/Code/diskFull`` and what else writing throws.
  func restore(_ path: String, from backup: String, timeout: Duration) throws(StoreError)
}

extension StorageBackend {
  /// Throws that the backend cannot.
  public func restore(_ path: String, from backup: String, timeout: Duration) throws(StoreError) {
    throw StoreError(
      .unsupportedFormat, "this backend cannot restore stores", path: path,
      suggestion: "copy the backup to the store's path while nobody has it open")
  }
}

/// One open file of a backend.
///
/// An engine may be used from any thread. It lives until ``close()``; transactions that are open
/// then keep what they need until their own end.
public protocol StorageEngine: AnyObject, Sendable {
  /// The format.
  var format: StoreFormat { get }
  /// The location, as the caller gave it.
  var location: StoreLocation { get }
  /// What the engine can do beyond the contract.
  var capabilities: Capabilities { get }
  /// What the caller should know about how the file was opened, such as a rolled-back copy.
  var notices: [String] { get }

  /// Begins to read one snapshot.
  ///
  /// The snapshot is that of the last commit when the call returns; later commits do not change it.
  /// Waits at most the busy timeout for one of the readers.
  ///
  /// - Throws: ``StoreError/Code/timedOut``, ``StoreError/Code/locked``,
  ///   ``StoreError/Code/closed``.
  func beginRead() throws(StoreError) -> any EngineReadTransaction

  /// Begins to write; there is one writer at a time over all processes.
  ///
  /// - Parameter timeout: How long to wait for other writers; `nil` is the option's busy timeout.
  /// - Throws: ``StoreError/Code/locked``, ``StoreError/Code/timedOut``,
  ///   ``StoreError/Code/readOnly``, ``StoreError/Code/nestedWrite`` on the writer's own thread.
  func beginWrite(timeout: Duration?) throws(StoreError) -> any EngineWriteTransaction

  /// A value that differs whenever anybody, in any process, committed in between; cheap.
  func commitMarker() throws(StoreError) -> CommitMarker

  /// The number of the newest commit of anybody, in any process, where commits are numbered; `nil`
  /// elsewhere. Reading it costs no transaction.
  func newestCommitNumber() throws(StoreError) -> UInt64?

  /// Copies the last commit into a new file that appears under its name only when it is whole.
  ///
  /// - Throws: ``StoreError/Code/targetExists``, ``StoreError/Code/diskFull`` and what reading throws.
  func copy(to target: StoreLocation, compacting: Bool, progress: ProgressHandler?)
    throws(StoreError)

  /// Looks for damage.
  func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError) -> CheckReport

  /// What the file is, for people and scripts: pages, versions, side files, other users of the file.
  func report() throws(StoreError) -> FileReport

  /// Closes the file; more calls do nothing, other calls throw ``StoreError/Code/closed``.
  func close() throws(StoreError)
}

extension StorageEngine {
  /// Commits are not numbered.
  public func newestCommitNumber() throws(StoreError) -> UInt64? { nil }
}

/// The identity of a commit; only equality means something.
public struct CommitMarker: Sendable, Hashable {
  /// The engine's numbers.
  public let words: [UInt64]
  /// Makes a marker of numbers.
  public init(words: [UInt64]) { self.words = words }
}

/// Called now and then during long work with the units done and, if known, all units.
///
/// Throwing, by convention ``StoreError/Code/cancelled``, ends the work without effect.
public typealias ProgressHandler =
  @Sendable (_ done: Int64, _ total: Int64?) throws(StoreError) ->
  Void
