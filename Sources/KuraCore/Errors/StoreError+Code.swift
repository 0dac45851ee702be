extension StoreError {
  /// The stable name of a kind of failure.
  ///
  /// The set is open: match the codes you know and treat the rest by ``kind``.
  public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The name, such as `store.missing`.
    public let rawValue: String

    /// Makes a code of any name; backends outside this package may have their own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// What kind of failure this is; codes that are not known here are ``Kind/internalError``.
    public var kind: Kind { StoreError.Code.kinds[self] ?? .internalError }
  }

  /// The kinds of failure; the command line has one exit code for each.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The caller gave a wrong value, name, query or call.
    case callerMistake
    /// The file cannot be opened: missing, no permission, not a database, needs a key.
    case cannotOpen
    /// Somebody else holds a lock, or time ran out.
    case busy
    /// The file's content is damaged.
    case damaged
    /// The call would change something that it was not allowed to change.
    case refused
    /// The file's schema is not the caller's: older, newer or different.
    case schemaMismatch
    /// The machine failed: no space, an input or output error, out of memory.
    case environment
    /// The caller cancelled.
    case cancelled
    /// A fault of this library.
    case internalError
  }
}

extension StoreError.Code {
  /// There is no file at the path.
  public static let missing = Self(rawValue: "store.missing")
  /// The path or a name in it is longer than the file system or the engine allows.
  public static let nameTooLong = Self(rawValue: "store.nameTooLong")
  /// The path is a folder and not a database.
  public static let isFolder = Self(rawValue: "store.isFolder")
  /// The path names something that is neither a file nor a folder.
  public static let notAFile = Self(rawValue: "store.notAFile")
  /// The operating system refuses access to the file or its folder.
  public static let noPermission = Self(rawValue: "store.noPermission")
  /// The file, its folder or its file system cannot be written.
  public static let readOnlyLocation = Self(rawValue: "store.readOnlyLocation")
  /// The file has no bytes.
  public static let empty = Self(rawValue: "store.empty")
  /// The content is of no format that an available backend reads.
  public static let unknownFormat = Self(rawValue: "store.unknownFormat")
  /// The content is of a known format that no available backend reads, such as Realm.
  public static let unsupportedFormat = Self(rawValue: "store.unsupportedFormat")
  /// The content is a known format in a version that is too new to read.
  public static let newerFormat = Self(rawValue: "store.newerFormat")
  /// The content is encrypted, or random bytes that look so.
  public static let encrypted = Self(rawValue: "store.encrypted")
  /// The file ends before its own header says that it does.
  public static let truncated = Self(rawValue: "store.truncated")
  /// The content contradicts itself.
  public static let damaged = Self(rawValue: "store.damaged")
  /// Another process or connection holds a lock.
  public static let locked = Self(rawValue: "store.locked")
  /// The time allowed for the call is over.
  public static let timedOut = Self(rawValue: "store.timedOut")
  /// The store was closed.
  public static let closed = Self(rawValue: "store.closed")
  /// The file was removed or replaced while it was open.
  public static let replaced = Self(rawValue: "store.replaced")
  /// The process forked after the store was opened.
  public static let usedAfterFork = Self(rawValue: "store.usedAfterFork")
  /// A write was asked of a store that is open for reading only.
  public static let readOnly = Self(rawValue: "store.readOnly")
  /// The target exists already.
  public static let targetExists = Self(rawValue: "store.targetExists")
  /// No space is left on the device.
  public static let diskFull = Self(rawValue: "store.diskFull")
  /// The operating system reported an error while reading or writing.
  public static let ioError = Self(rawValue: "store.ioError")
  /// A limit of the engine or of the operating system is reached.
  public static let limitReached = Self(rawValue: "store.limitReached")
  /// Memory ran out inside the engine.
  public static let outOfMemory = Self(rawValue: "store.outOfMemory")
  /// The commit failed and may be durable nevertheless.
  public static let commitOutcomeUnknown = Self(rawValue: "store.commitOutcomeUnknown")
  /// The file has a database that Kura did not make.
  public static let foreign = Self(rawValue: "store.foreign")

  /// The file's schema version is lower than the caller's.
  public static let migrationRequired = Self(rawValue: "schema.migrationRequired")
  /// The file's schema version is higher than the caller's.
  public static let newer = Self(rawValue: "schema.newer")
  /// The file's schema differs from the caller's schema of the same version.
  public static let drifted = Self(rawValue: "schema.drifted")
  /// A schema contradicts itself or names something that is not allowed.
  public static let invalidSchema = Self(rawValue: "schema.invalid")
  /// A name is empty, too long, reserved or used twice.
  public static let invalidName = Self(rawValue: "schema.invalidName")
  /// There is no model of that name.
  public static let unknownModel = Self(rawValue: "schema.unknownModel")
  /// The model has no property of that name.
  public static let unknownProperty = Self(rawValue: "schema.unknownProperty")

  /// A migration, or the chain of them, is wrong.
  public static let invalidMigration = Self(rawValue: "migration.invalid")
  /// The store's history has another migration of the same identity, or one that is not known here.
  public static let historyMismatch = Self(rawValue: "migration.historyMismatch")
  /// A migration has a code step that is not registered here, as in the command line.
  public static let needsAppCode = Self(rawValue: "migration.needsAppCode")
  /// A value cannot be converted, and the operation says to fail then.
  public static let conversionFailed = Self(rawValue: "migration.conversionFailed")
  /// A code step of a migration threw an error that is no ``StoreError``.
  public static let codeStepFailed = Self(rawValue: "migration.codeStepFailed")
  /// An assertion of a migration does not hold.
  public static let assertionFailed = Self(rawValue: "migration.assertionFailed")
  /// A migration changed records that it must not change; nothing was written.
  public static let notConserved = Self(rawValue: "migration.notConserved")
  /// A view, trigger or other object of the file would no longer work.
  public static let dependentObject = Self(rawValue: "migration.dependentObject")
  /// The copy of the store that is made before a migration failed; nothing was changed.
  public static let backupFailed = Self(rawValue: "migration.backupFailed")
  /// A migration would lose data, and nobody said that it may.
  public static let lossNotAllowed = Self(rawValue: "migration.lossNotAllowed")

  /// A query's text or structure is wrong; the message has the position.
  public static let invalidQuery = Self(rawValue: "query.invalid")
  /// Raw SQL is wrong; the message is the engine's.
  public static let invalidSQL = Self(rawValue: "query.invalidSQL")
  /// The query's result cannot be had with this backend.
  public static let unsupportedQuery = Self(rawValue: "query.unsupported")

  /// A value is not of the property's type.
  public static let wrongType = Self(rawValue: "value.wrongType")
  /// A value is of the right type but cannot be stored, such as not-a-number.
  public static let notStorable = Self(rawValue: "value.notStorable")
  /// A value, stored or computed, or a row is larger than the engine allows.
  public static let tooLarge = Self(rawValue: "value.tooLarge")
  /// A required property has no value.
  public static let missingValue = Self(rawValue: "value.missing")
  /// A stored value is not of the type that the schema promises.
  public static let undecodable = Self(rawValue: "value.undecodable")
  /// The key has the wrong type or count of values.
  public static let wrongKey = Self(rawValue: "key.wrongType")
  /// There is already a record with that key.
  public static let duplicateKey = Self(rawValue: "key.duplicate")
  /// Another record has the same value of a unique property or index.
  public static let notUnique = Self(rawValue: "constraint.unique")
  /// A reference points at no record, or a record to delete is still referred to.
  public static let brokenReference = Self(rawValue: "constraint.reference")
  /// Another constraint of the file refuses the value.
  public static let constraint = Self(rawValue: "constraint.other")

  /// A transaction was used after its end.
  public static let transactionEnded = Self(rawValue: "transaction.ended")
  /// A write was begun inside a write.
  public static let nestedWrite = Self(rawValue: "transaction.nested")
  /// A transaction was used on a thread that it does not belong to.
  public static let wrongThread = Self(rawValue: "transaction.wrongThread")
  /// The transaction failed before and can only be rolled back.
  public static let transactionFailed = Self(rawValue: "transaction.failed")
  /// The task was cancelled.
  public static let cancelled = Self(rawValue: "call.cancelled")
  /// A fault of this library; please report it.
  public static let internalError = Self(rawValue: "internal.error")

  /// All codes with their kinds, in one place, so that none can be forgotten.
  package static let kinds: [Self: StoreError.Kind] = [
    .missing: .cannotOpen, .nameTooLong: .cannotOpen, .isFolder: .cannotOpen,
    .notAFile: .cannotOpen,
    .noPermission: .cannotOpen, .readOnlyLocation: .cannotOpen, .empty: .cannotOpen,
    .unknownFormat: .cannotOpen, .unsupportedFormat: .cannotOpen, .newerFormat: .cannotOpen,
    .encrypted: .cannotOpen, .replaced: .cannotOpen, .foreign: .cannotOpen,
    .truncated: .damaged, .damaged: .damaged, .undecodable: .damaged,
    .locked: .busy, .timedOut: .busy,
    .closed: .callerMistake, .usedAfterFork: .callerMistake, .readOnly: .refused,
    .targetExists: .refused,
    .diskFull: .environment, .ioError: .environment, .limitReached: .environment,
    .tooLarge: .callerMistake,
    .outOfMemory: .environment, .commitOutcomeUnknown: .environment,
    .migrationRequired: .schemaMismatch, .newer: .schemaMismatch, .drifted: .schemaMismatch,
    .invalidMigration: .callerMistake, .historyMismatch: .schemaMismatch,
    .needsAppCode: .schemaMismatch, .codeStepFailed: .schemaMismatch,
    .conversionFailed: .schemaMismatch,
    .assertionFailed: .schemaMismatch, .notConserved: .internalError,
    .dependentObject: .schemaMismatch, .backupFailed: .environment,
    .lossNotAllowed: .refused,
    .invalidSchema: .callerMistake, .invalidName: .callerMistake, .unknownModel: .callerMistake,
    .unknownProperty: .callerMistake, .invalidQuery: .callerMistake,
    .invalidSQL: .callerMistake, .unsupportedQuery: .callerMistake, .wrongType: .callerMistake,
    .notStorable: .callerMistake, .missingValue: .callerMistake, .wrongKey: .callerMistake,
    .duplicateKey: .callerMistake, .notUnique: .callerMistake, .brokenReference: .callerMistake,
    .constraint: .callerMistake, .transactionEnded: .callerMistake,
    .nestedWrite: .callerMistake, .wrongThread: .callerMistake,
    .transactionFailed: .callerMistake, .cancelled: .cancelled, .internalError: .internalError,
  ]
}
