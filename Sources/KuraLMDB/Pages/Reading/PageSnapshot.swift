package import KuraCore

/// One state of an LMDB file, read page by page without liblmdb.
///
/// Whatever is in the file, reading ends with values or with a ``StoreError``. A live writer is
/// noticed: see ``PageSource/checkIsWhole()``. Not for several threads at once.
@safe
package final class PageSnapshot {
  /// The file.
  package let file: PageFile
  /// Both meta pages.
  package let metas: MetaPages
  /// The one that is read.
  package let meta: MetaPage
  /// The bytes of the file when its meta pages were read, at least.
  package var fileSize: Int64 { source.fileSize }
  /// The main database.
  package let main: PageTree
  let source: PageSource
  /// The cursor of the last look-up, whose pages may serve the next one.
  private var lookup: PageCursor?

  /// The most bytes of one value unless said otherwise: 1 GiB.
  package static let defaultValueLimit = 1 << 30

  /// Opens a state of a file.
  ///
  /// - Parameters:
  ///   - path: The data file, not the folder.
  ///   - choice: Which state.
  ///   - handling: What damage does.
  ///   - valueLimit: The most bytes of one value; longer ones throw
  ///     ``StoreError/Code/limitReached``.
  /// - Throws: See ``MetaPages/init(_:)`` and ``PageFile/init(_:)``; ``StoreError/Code/truncated``
  ///   when the file ends early, unless salvaging.
  package convenience init(
    _ path: String, _ choice: SnapshotChoice = .newest, handling: DamageHandling = .refuse,
    valueLimit: Int = PageSnapshot.defaultValueLimit
  ) throws(StoreError) {
    try self.init(PageFile(path), choice, handling: handling, valueLimit: valueLimit)
  }

  /// Opens a state of a file that is open.
  package init(
    _ file: PageFile, _ choice: SnapshotChoice = .newest, handling: DamageHandling = .refuse,
    valueLimit: Int = PageSnapshot.defaultValueLimit
  ) throws(StoreError) {
    self.file = file
    metas = try MetaPages(file)
    meta = try metas.meta(choice)
    // Not the size when it was opened: the state may be of a commit that made the file longer since.
    // A commit's pages are in the file before its meta page is.
    let size = try file.currentSize()
    source = PageSource(file, meta, handling, fileSize: size, valueLimit: valueLimit)
    main = PageTree(meta.main, .main)
    guard handling == .refuse else { return }
    if let problem = meta.problems.first {
      throw StoreError(
        .damaged, "meta page \(meta.slot): \(problem)", path: file.path,
        suggestion: "restore a backup, or read what is left in salvage mode")
    }
    if let message = try shortage() {
      throw StoreError(
        .truncated, message, path: file.path, suggestion: "look for a backup or an intact copy")
    }
  }

  /// Opens a state of a private copy, whatever the meta pages of the copy say.
  ///
  /// - Parameter meta: The state's meta page, which was read from the original.
  init(privateCopy file: PageFile, _ meta: MetaPage) {
    self.file = file
    metas = MetaPages(only: meta)
    self.meta = meta
    source = PageSource(
      file, meta, .refuse, fileSize: file.size, valueLimit: PageSnapshot.defaultValueLimit,
      isPrivate: true)
    main = PageTree(meta.main, .main)
  }

  /// What reading in salvage had to leave out so far.
  package var losses: SalvageLosses { source.losses }

  /// Throws ``StoreError/Code/locked`` when a writer may have written over the snapshot.
  package func checkIsWhole() throws(StoreError) { try source.checkIsWhole() }

  /// The named database of a name, or `nil` when there is none.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the entry of the name is no database.
  package func database(_ name: String) throws(StoreError) -> PageTree? {
    try database(Array(name.utf8))
  }

  /// The named database of a name in bytes, or `nil` when there is none.
  package func database(_ name: [UInt8]) throws(StoreError) -> PageTree? {
    let cursor = cursor(main)
    let isThere = try find(name, cursor)
    guard isThere else { return nil }
    guard cursor.isDatabase else {
      throw StoreError(
        .damaged, "an entry with the name of a database holds a value", path: file.path)
    }
    return try named(cursor)
  }

  /// The named database whose record is a cursor's current entry.
  func named(_ cursor: PageCursor) throws(StoreError) -> PageTree {
    guard cursor.isDatabase, let base = unsafe cursor.value.baseAddress else {
      throw StoreError(.damaged, "the record of a database is damaged", path: file.path)
    }
    let record = unsafe DatabaseRecord(PageBytes(base, count: cursor.value.count), at: 0)
    let problem =
      record.rawFlags & ~DatabaseFlags.known.rawValue != 0
      ? "the record has the flags 0x\(String(record.rawFlags, radix: 16))" : record.problem
    if let problem {
      throw StoreError(.damaged, "the record of a database: \(problem)", path: file.path)
    }
    return unsafe PageTree(record, .named, name: Array(cursor.key))
  }

  /// The number of entries that a database records for itself; every value of a key counts.
  package func count(_ database: PageTree) throws(StoreError) -> Int64 {
    guard let count = Int64(exactly: database.record.entries) else {
      throw StoreError(.damaged, "a database counts \(database.record.entries) entries")
    }
    return count
  }

  /// A new walk that stands nowhere yet.
  package func cursor(_ database: PageTree) -> PageCursor { PageCursor(source, database) }

  /// The first value of a key, valid until the next call.
  package func value(_ key: UnsafeRawBufferPointer, in database: PageTree) throws(StoreError)
    -> UnsafeRawBufferPointer?
  {
    let cursor: PageCursor
    if let lookup, lookup.tree == database {
      cursor = lookup
    } else {
      cursor = self.cursor(database)
      lookup = cursor
    }
    guard unsafe try cursor.seek(key) else { return nil }
    guard unsafe database.order.compare(cursor.key, key) == 0 else { return nil }
    return unsafe cursor.value
  }

  private func find(_ name: [UInt8], _ cursor: PageCursor) throws(StoreError) -> Bool {
    var failure: StoreError?
    let isThere = unsafe name.withUnsafeBytes { bytes in
      do throws(StoreError) {
        return unsafe try cursor.seek(bytes) && main.order.compare(cursor.key, bytes) == 0
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return isThere
  }
}
