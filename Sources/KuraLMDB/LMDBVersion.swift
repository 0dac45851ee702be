import CLMDB

/// The version of the LMDB library that is linked.
package enum LMDBVersion {
  /// As the library gives it, such as `LMDB 0.9.24: (July 24, 2019)`.
  package static var text: String {
    unsafe mdb_version(nil, nil, nil).map { unsafe String(cString: $0) } ?? "LMDB"
  }

  /// The number alone, such as `0.9.24`.
  package static var number: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    _ = unsafe mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
