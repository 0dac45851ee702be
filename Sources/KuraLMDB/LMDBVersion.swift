import CLMDB

/// The version of the LMDB library that is linked.
package enum LMDBVersion {
  /// As the library gives it, such as `LMDB 0.9.24: (July 24, 2019)`.
  package static var text: String {
    unsafe mdb_version(nil, nil, nil).map { unsafe String(cString: $0) } ?? "LMDB"
  }
}
