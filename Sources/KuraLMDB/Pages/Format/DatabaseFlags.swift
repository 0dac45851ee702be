/// How the keys and values of a database are ordered and stored, as its record in the file says.
package struct DatabaseFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Keys are compared from their last byte.
  package static let reverseKey = Self(rawValue: 0x02)
  /// A key may have several values, in an order of their own.
  package static let dupSort = Self(rawValue: 0x04)
  /// Keys are unsigned integers of 4 or 8 bytes in the byte order of the machine.
  package static let integerKey = Self(rawValue: 0x08)
  /// All values of a key have one size.
  package static let dupFixed = Self(rawValue: 0x10)
  /// Values are unsigned integers.
  package static let integerDup = Self(rawValue: 0x20)
  /// Values are compared from their last byte.
  package static let reverseDup = Self(rawValue: 0x40)

  /// All that LMDB writes into records.
  package static let known: Self = [
    .reverseKey, .dupSort, .integerKey, .dupFixed, .integerDup, .reverseDup,
  ]

  /// The names that `mdb_dump` writes, in its order.
  package var names: [String] {
    let all: [(Self, String)] = [
      (.reverseKey, "reversekey"), (.dupSort, "dupsort"), (.integerKey, "integerkey"),
      (.dupFixed, "dupfixed"), (.integerDup, "integerdup"), (.reverseDup, "reversedup"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }

  /// The order of the keys.
  package var keyOrder: KeyOrder {
    // The precedence of mdb_default_cmp.
    contains(.reverseKey) ? .reversed : contains(.integerKey) ? .integer : .bytes
  }

  /// The order of the values of one key.
  package var duplicateOrder: KeyOrder {
    contains(.integerDup) ? .integer : contains(.reverseDup) ? .reversed : .bytes
  }
}
