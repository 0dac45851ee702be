import CLMDB
package import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes a new LMDB file of entries, with liblmdb, in one transaction.
///
/// The file is made under a temporary name beside its own, which it gets when it is whole and on the
/// disk: whatever fails leaves nothing behind. A builder stays on the thread that made it.
@safe
package final class EnvironmentBuilder {
  /// A database of the new file.
  @safe
  package final class Database {
    /// The flags.
    package let flags: DatabaseFlags
    /// The name as people write it.
    package let name: String
    fileprivate let handle: MDB_dbi
    fileprivate let order: KeyOrder
    fileprivate let isInOrderOfInput: Bool
    fileprivate var cursor: OpaquePointer?
    /// The last key and value, behind which new ones can be added without a search.
    fileprivate var lastKey: [UInt8]?
    fileprivate var lastValue: [UInt8] = []
    /// Whether all keys came in order so far.
    fileprivate var isSorted = true
    /// The size that all keys of an integer database and all values of a DUPFIXED one must have.
    fileprivate var keySize: Int?
    fileprivate var valueSize: Int?
    /// The number of entries.
    package fileprivate(set) var count: Int64 = 0

    fileprivate init(_ name: [UInt8]?, _ flags: DatabaseFlags, _ handle: MDB_dbi, keepsOrder: Bool)
    {
      self.name = DatabaseName.shown(name)
      self.flags = flags
      self.handle = handle
      order = flags.keyOrder
      isInOrderOfInput = keepsOrder
    }
  }

  private let path: String
  private let temporary: String
  private let replaces: Bool
  private let environment: OpaquePointer
  private var transaction: OpaquePointer?
  private var databases: [[UInt8]?: Database] = [:]
  private var isClosed = false

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - path: Where it will be.
  ///   - replaces: Whether a file that is there is replaced, when the new one is whole.
  /// - Throws: ``StoreError/Code/targetExists``, and what making files throws.
  package init(_ path: String, replaces: Bool) throws(StoreError) {
    guard replaces || !FileNaming.exists(path) else { throw FileNaming.targetExists(path) }
    self.path = path
    self.replaces = replaces
    temporary = FileNaming.temporaryName(for: path)
    var environment: OpaquePointer?
    guard unsafe mdb_env_create(&environment) == MDB_SUCCESS, let made = unsafe environment else {
      throw StoreError(.outOfMemory, "LMDB ran out of memory")
    }
    unsafe self.environment = unsafe made
    do {
      try begin()
    } catch {
      unsafe mdb_env_close(made)
      unsafe unlink(FileName.bytes(of: temporary))
      throw error.at(path)
    }
  }

  deinit { abandon() }

  private func begin() throws(StoreError) {
    unsafe mdb_env_set_maxdbs(environment, 65_534)
    // The map only reserves addresses; what it was is corrected when the file is done.
    var size = 1 << 40
    var result: Int32 = ENOMEM
    while result == ENOMEM, size >= 1 << 28 {
      result = unsafe mdb_env_set_mapsize(environment, size)
      if result == MDB_SUCCESS {
        let flags = UInt32(MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS)
        result = unsafe mdb_env_open(environment, FileName.bytes(of: temporary), flags, 0o644)
      }
      size >>= 1
    }
    try check(result, "make the file")
    try check(unsafe mdb_txn_begin(environment, nil, 0, &transaction), "begin to write")
  }

  /// The database of a name, made when it is not there yet.
  ///
  /// - Parameter keepsOrder: Whether entries stay in the order in which they come, which is that of
  ///   an application's own comparison.
  /// - Throws: ``StoreError/Code/duplicateKey`` when it is there with other flags, or when its name is
  ///   the key of a value.
  package func database(_ name: [UInt8]?, _ flags: DatabaseFlags, keepsOrder: Bool = false)
    throws(StoreError) -> Database
  {
    if let database = databases[name] {
      guard database.flags == flags else {
        throw StoreError(
          .duplicateKey, "the database \"\(database.name)\" is there already with other flags",
          found: flags.names.joined(separator: ", "),
          expected: database.flags.names.joined(separator: ", "))
      }
      return database
    }
    guard name.map({ !$0.isEmpty && $0.count <= 511 && !$0.contains(0) }) ?? true else {
      throw StoreError(
        .notStorable, "liblmdb takes no name \"\(DatabaseName.shown(name))\"",
        expected: "1 to 511 bytes without a zero byte")
    }
    var handle: MDB_dbi = 0
    let result = unsafe (name ?? []).withUnsafeBytes { bytes in
      // liblmdb takes names as C texts.
      let text = unsafe bytes.map { CChar(bitPattern: $0) } + [0]
      return unsafe mdb_dbi_open(
        transaction, name == nil ? nil : text, UInt32(flags.rawValue) | UInt32(MDB_CREATE), &handle)
    }
    if result == MDB_INCOMPATIBLE {
      throw StoreError(
        .duplicateKey,
        "\"\(DatabaseName.shown(name))\" is the key of a value in the main database as well")
    }
    try check(result, "make a database")
    let database = Database(name, flags, handle, keepsOrder: keepsOrder)
    if keepsOrder {
      // Everything that comes is greater than everything that is there.
      unsafe mdb_set_compare(transaction, handle) { _, _ in 1 }
      if flags.contains(.dupSort) { unsafe mdb_set_dupsort(transaction, handle) { _, _ in 1 } }
    }
    databases[name] = database
    return database
  }

  /// Adds an entry.
  ///
  /// - Throws: ``StoreError/Code/duplicateKey`` for an entry that is there, ``StoreError/Code/notStorable``
  ///   for keys and values that the database cannot have, ``StoreError/Code/diskFull``.
  package func add(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, to database: Database
  ) throws(StoreError) {
    unsafe try checkSizes(key, value, database)
    if unsafe database.cursor == nil {
      try check(
        unsafe mdb_cursor_open(transaction, database.handle, &database.cursor), "begin to write")
    }
    let isSameKey = database.lastKey.map { unsafe key.elementsEqual($0) } ?? false
    var keyValue = unsafe MDB_val(
      mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
    var dataValue = unsafe MDB_val(
      mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
    let mode = unsafe mode(key, value, isSameKey: isSameKey, database)
    let result = unsafe mdb_cursor_put(database.cursor, &keyValue, &dataValue, UInt32(mode))
    guard result != MDB_KEYEXIST else {
      throw StoreError(
        .duplicateKey,
        database.flags.contains(.dupSort)
          ? "the entry is there already" : "the key is there already")
    }
    try check(result, "write an entry")
    if !isSameKey { database.lastKey = unsafe Array(key) }
    if database.flags.contains(.dupSort) { database.lastValue = unsafe Array(value) }
    database.count += 1
  }

  /// How to add: at the end, where the entry belongs there, else where it belongs.
  private func mode(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isSameKey: Bool,
    _ database: Database
  ) -> Int32 {
    // MDB_CURRENT spares the search for the key, which a comparison that always says the same would
    // lead astray (as `mdb_load -a` has it).
    if database.isInOrderOfInput { return isSameKey ? MDB_CURRENT | MDB_APPENDDUP : MDB_APPEND }
    let hasDuplicates = database.flags.contains(.dupSort)
    let other = hasDuplicates ? MDB_NODUPDATA : MDB_NOOVERWRITE
    // The last entry of the input is the greatest one only while all of it is in order.
    guard database.isSorted, let last = database.lastKey else { return other }
    let isGreater: Bool
    if isSameKey {
      let order = database.flags.duplicateOrder
      isGreater =
        unsafe hasDuplicates
        && database.lastValue.withUnsafeBytes { unsafe order.compare(value, $0) > 0 }
    } else {
      isGreater = unsafe last.withUnsafeBytes { unsafe database.order.compare(key, $0) > 0 }
    }
    guard isGreater else {
      database.isSorted = false
      return other
    }
    return isSameKey ? MDB_APPENDDUP : MDB_APPEND
  }

  /// What liblmdb takes without complaint and cannot read again.
  private func checkSizes(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ database: Database
  ) throws(StoreError) {
    guard (1...511).contains(key.count) else {
      throw StoreError(
        .notStorable, "a key has \(key.count) bytes", expected: "1 to 511 bytes")
    }
    if database.flags.contains(.integerKey) {
      let size = database.keySize ?? key.count
      guard key.count == size, size == 4 || size == 8 else {
        throw StoreError(
          .notStorable, "a key of an integer database has \(key.count) bytes",
          expected: database.keySize.map { "\($0) bytes" } ?? "4 or 8 bytes")
      }
      database.keySize = size
    }
    guard database.flags.contains(.dupSort) else { return }
    guard value.count <= 511 else {
      throw StoreError(
        .notStorable, "a value of a key that may have several has \(value.count) bytes",
        expected: "at most 511 bytes")
    }
    if database.flags.contains(.dupFixed) {
      let size = database.valueSize ?? value.count
      guard value.count == size, size > 0 else {
        throw StoreError(
          .notStorable, "a value of a database of equal sizes has \(value.count) bytes",
          expected: database.valueSize.map { "\($0) bytes" } ?? "at least one byte")
      }
      database.valueSize = size
    }
  }

  /// The number of databases that have a name or an entry.
  package var databaseCount: Int {
    databases.values.filter { $0.name != DatabaseName.main || $0.count > 0 }.count
  }

  /// The number of entries.
  package var entryCount: Int64 { databases.values.reduce(0) { $0 + $1.count } }

  /// Where the file of a path will be: in a folder its data file.
  package static func target(of path: String) -> String {
    var status = stat()
    guard unsafe stat(FileName.bytes(of: path), &status) == 0, status.st_mode & S_IFMT == S_IFDIR
    else { return path }
    return path.hasSuffix("/") ? path + "data.mdb" : path + "/data.mdb"
  }

  /// Throws when processes are registered as readers of a file that is to be replaced: they and new
  /// ones would share a lock file and not the data.
  package static func checkIsUnused(_ path: String) throws(StoreError) {
    guard let readers = LockFile(of: path)?.readers,
      let reader = readers.first(where: { !$0.isGone })
    else { return }
    throw StoreError(
      .locked, "the file is in use", path: path, found: reader.text,
      suggestion: "end the process, or name another file")
  }

  /// Commits, brings the file to the disk and gives it its name.
  ///
  /// - Parameter mapSize: The size of the map that the file records; at least what it needs.
  package func finish(mapSize: UInt64) throws(StoreError) {
    do throws(StoreError) {
      for database in databases.values {
        if let cursor = unsafe database.cursor { unsafe mdb_cursor_close(cursor) }
        unsafe database.cursor = nil
      }
      let open = unsafe transaction
      unsafe transaction = nil
      try check(unsafe mdb_txn_commit(open), "write the file")
      unsafe mdb_env_close(environment)
      isClosed = true
      try EnvironmentBuilder.record(mapSize: mapSize, in: temporary)
      try FileSynchronisation.flush(temporary, for: path)
      if replaces {
        guard unsafe rename(FileName.bytes(of: temporary), FileName.bytes(of: path)) == 0 else {
          throw FileErrors.creating(errno, path)
        }
        FileNaming.flushFolder(of: path)
      } else {
        try FileNaming.give(temporary, itsName: path)
        unsafe unlink(FileName.bytes(of: temporary))
      }
    } catch {
      abandon()
      throw error.at(path)
    }
  }

  /// Ends without a file; more calls do nothing.
  package func abandon() {
    guard !isClosed else {
      unsafe unlink(FileName.bytes(of: temporary))
      return
    }
    isClosed = true
    if let transaction = unsafe transaction { unsafe mdb_txn_abort(transaction) }
    unsafe mdb_env_close(environment)
    unsafe unlink(FileName.bytes(of: temporary))
  }

  /// Writes the size of the map into both meta pages: liblmdb only makes it greater, and the one that
  /// was used here would make every reader reserve as much.
  private static func record(mapSize: UInt64, in file: String) throws(StoreError) {
    let pages = try PageFile(file)
    let meta = try MetaPages(pages)
    let descriptor = unsafe open(FileName.bytes(of: file), O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileErrors.error(errno, file) }
    defer { close(descriptor) }
    for page in [meta.first, meta.second].compactMap({ $0 }) {
      let needed = (page.lastPage + 1) &* UInt64(page.pageSize)
      let size = max(mapSize, max(needed, UInt64(pages.size))).littleEndian
      let count = unsafe withUnsafeBytes(of: size) {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(page.offset + 32))
      }
      guard count == 8 else { throw FileErrors.error(errno, file) }
    }
  }

  private func check(_ result: Int32, _ action: String) throws(StoreError) {
    guard result != MDB_SUCCESS else { return }
    switch result {
    case ENOSPC, EDQUOT, MDB_MAP_FULL, EIO:
      throw StoreError(
        .diskFull, "no space is left for the database", path: path,
        suggestion: "free space and try again")
    case ENOMEM: throw StoreError(.outOfMemory, "LMDB ran out of memory", path: path)
    case let code where code > 0: throw FileErrors.creating(code, path)
    case MDB_BAD_VALSIZE:
      throw StoreError(.notStorable, "LMDB takes no key or value of this size", path: path)
    case MDB_TXN_FULL, MDB_DBS_FULL:
      throw StoreError(
        .limitReached, "the input is more than one transaction of LMDB can have", path: path)
    default:
      throw StoreError(
        .internalError,
        unsafe "LMDB could not \(action): \(String(cString: mdb_strerror(result)))", path: path)
    }
  }
}
