/// Where a store lives.
public enum StoreLocation: Sendable, Hashable, CustomStringConvertible {
  /// A path of a file. `file:` at its beginning has no special meaning.
  case file(String)
  /// A store that lives as long as it is open and leaves nothing behind.
  case memory

  /// The path, or `memory`.
  public var description: String {
    switch self {
    case .file(let path): path
    case .memory: "memory"
    }
  }

  /// The path of a file.
  public var path: String? {
    if case .file(let path) = self { path } else { nil }
  }
}

/// A format of database files.
public struct StoreFormat: Sendable, Hashable, RawRepresentable, Codable, CustomStringConvertible {
  /// The name, lower-case, such as `sqlite`.
  public let rawValue: String
  /// Makes a format of a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// SQLite 3.
  public static let sqlite = StoreFormat(rawValue: "sqlite")
  /// LMDB.
  public static let lmdb = StoreFormat(rawValue: "lmdb")
  /// The name.
  public var description: String { rawValue }
}

/// How safely a commit reaches the disk.
public enum Durability: String, Sendable, Hashable, Codable {
  /// A commit that returned survives a power cut.
  case full
  /// A commit that returned survives the process; a power cut may lose the last ones, never
  /// consistency.
  case relaxed
}

/// How a backend opens a file.
public struct EngineOptions: Sendable {
  /// What may be done with the file.
  public enum Access: Sendable, Hashable {
    /// Read and write; `create` makes the file if it is missing.
    case readWrite(create: Bool)
    /// Read only. Not a byte, name or time in the file's folder changes.
    case readOnly
  }

  /// What may be done with the file.
  public var access: Access
  /// Whether the content may be hostile: no trigger, view function or extension runs unasked, and
  /// time and memory have limits.
  public var isUntrusted: Bool
  /// How safely a commit reaches the disk.
  public var durability: Durability
  /// How long to wait for locks of other connections and processes.
  public var busyTimeout: Duration
  /// The most readers at once in this process.
  public var maximumReaders: Int

  /// What may end the engine's work early.
  public var limits: ExecutionLimits?

  /// Makes options.
  public init(
    access: Access = .readWrite(create: true), isUntrusted: Bool = false,
    durability: Durability = .full, busyTimeout: Duration = .seconds(5), maximumReaders: Int = 5,
    limits: ExecutionLimits? = nil
  ) {
    self.access = access
    self.isUntrusted = isUntrusted
    self.durability = durability
    self.busyTimeout = busyTimeout
    self.maximumReaders = maximumReaders
    self.limits = limits
  }
}
