import KuraCore

/// A database of a snapshot: where its tree begins and how it is ordered.
package struct PageTree: Sendable, Hashable {
  /// What a tree is for, which decides what its leaves may hold.
  enum Role: Sendable, Hashable {
    /// The free list.
    case free
    /// The main database, which also holds the records of named ones.
    case main
    /// A named database.
    case named
    /// The values of one key.
    case duplicates
  }

  /// The name; `nil` for the main database.
  package let name: [UInt8]?
  /// What the file says of the database.
  package let record: DatabaseRecord
  let role: Role
  /// The order of the keys.
  package let order: KeyOrder
  /// The size of the keys when they are packed, else 0.
  let itemSize: Int

  init(_ record: DatabaseRecord, _ role: Role, name: [UInt8]? = nil) {
    self.record = record
    self.role = role
    self.name = name
    order = record.flags.keyOrder
    itemSize = 0
  }

  /// The tree of a key's values.
  init(duplicates record: DatabaseRecord, of parent: PageTree) throws(StoreError) {
    let isFixed = parent.record.flags.contains(.dupFixed)
    let foreign = record.flags.subtracting([.dupFixed, .integerKey, .reverseKey])
    // liblmdb follows a wrong flag here into nodes that are none.
    guard foreign.isEmpty, record.rawFlags & ~DatabaseFlags.known.rawValue == 0,
      record.flags.contains(.dupFixed) == isFixed
    else {
      throw StoreError(
        .damaged,
        "the record of a key's values has the flags 0x\(String(record.rawFlags, radix: 16))")
    }
    if let problem = record.problem {
      throw StoreError(.damaged, "the values of a key: \(problem)")
    }
    guard !isFixed || (1...0xFFFF).contains(record.padding) else {
      throw StoreError(
        .damaged, "the record of a key's values gives them a size of \(record.padding)")
    }
    self.record = record
    role = .duplicates
    name = nil
    order = parent.record.flags.duplicateOrder
    itemSize = isFixed ? Int(record.padding) : 0
  }

  /// Whether a key may have several values.
  package var hasDuplicates: Bool { record.flags.contains(.dupSort) && role != .free }

  /// What is wrong with the flags of an entry, by the rules of this tree; `nil` when nothing is.
  func problem(flags: Int, dataSize: Int) -> String? {
    switch flags {
    case 0:
      return role == .duplicates && dataSize != 0 ? "a value of a key has data of its own" : nil
    case NodeFlags.overflow where role != .duplicates: return nil
    case NodeFlags.database where role == .main && !hasDuplicates:
      return dataSize == DatabaseRecord.byteCount
        ? nil : "the record of a database has \(dataSize) bytes"
    case NodeFlags.duplicates where hasDuplicates: return nil
    case NodeFlags.duplicates | NodeFlags.database where hasDuplicates:
      return dataSize == DatabaseRecord.byteCount
        ? nil : "the record of a key's values has \(dataSize) bytes"
    default: return "an entry has the flags 0x\(String(flags, radix: 16))"
    }
  }

  /// What is wrong with an entry among the values of a key: liblmdb follows stray flags there.
  func innerProblem(_ node: LeafNode) -> String? {
    node.flags == 0 && node.dataSize == 0 ? nil : "a value of a key has flags or data of its own"
  }
}
