import KuraCore

/// Looks at a file before liblmdb maps it: liblmdb trusts what the file says, and a file that was
/// cut off kills the process that reads past its end.
enum EnvironmentHeader {
  /// Throws unless the meta pages say what can be and the pages of the newest commit are all there.
  ///
  /// - Throws: As ``PageSnapshot/init(_:_:handling:valueLimit:)``; ``StoreError/Code/locked`` when
  ///   writers were faster each time.
  static func check(_ path: String) throws(StoreError) {
    var attempts = 0
    while true {
      do throws(StoreError) {
        _ = try PageSnapshot(path)
        return
      } catch {
        attempts += 1
        guard error.code == .locked, attempts < 64 else { throw error }
      }
    }
  }
}
