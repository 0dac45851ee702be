/// The kinds of pages, as the flags of their headers say.
enum PageFlags {
  static let branch = 0x01
  static let leaf = 0x02
  static let overflow = 0x04
  static let meta = 0x08
  static let dirty = 0x10
  /// A leaf of values of one size, without an array of pointers.
  static let fixed = 0x20
  /// A page inside a value.
  static let subPage = 0x40
  /// Those that say what a page is; the rest is the state of a writer.
  static let kind = 0x6F
}

/// The flags of an entry on a leaf.
enum NodeFlags {
  /// The data is the number of the first page of a long value.
  static let overflow = 0x01
  /// The data is the record of a database.
  static let database = 0x02
  /// The data is a page with all values of the key; with ``database`` the record of their tree.
  static let duplicates = 0x04
}
