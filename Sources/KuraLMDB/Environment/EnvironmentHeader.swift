import KuraCore

/// Looks at a file before liblmdb maps it: liblmdb trusts what the file says, and a file that was
/// cut off kills the process that reads past its end.
enum EnvironmentHeader {
  /// Throws unless the meta pages say what can be and the pages of the newest commit are all there.
  static func check(_ path: String) throws(StoreError) { _ = try PageSnapshot(path) }
}
