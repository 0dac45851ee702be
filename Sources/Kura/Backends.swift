/// The backends of this build.
public enum Backends {
  /// All backends, the one for new stores first.
  public static let `default`: [any StorageBackend] = [SQLiteBackend(), LMDBBackend()]
}
