import KuraCore

/// Two walks side by side.
struct DifferenceWalk: ~Copyable {
  private let difference: SnapshotDifference
  /// The named databases that may differ; one of a name may be in two entries.
  private(set) var databases: [(name: [UInt8], old: PageTree?, new: PageTree?)] = []
  private var oldValues = ValueBuffer()
  private var newValues = ValueBuffer()

  init(_ difference: SnapshotDifference) { self.difference = difference }

  /// Gives what the second walk has and the first has not, and the other way round.
  mutating func compare(
    _ old: inout DifferenceSide, _ new: inout DifferenceSide, _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    while !(old.isDone && new.isDone) {
      if difference.isOneFile, skipEqualPages(&old, &new) { continue }
      if old.isBeforePage {
        try old.open()
      } else if new.isBeforePage {
        try new.open()
      } else if !new.isAtEntry {
        try give(.delete, old, body)
        old.advance()
      } else if !old.isAtEntry {
        try give(.insert, new, body)
        new.advance()
      } else {
        let order = unsafe new.tree.order.compare(old.key, new.key)
        if order < 0 {
          try give(.delete, old, body)
          old.advance()
        } else if order > 0 {
          try give(.insert, new, body)
          new.advance()
        } else {
          try compareValues(old, new, body)
          old.advance()
          new.advance()
        }
      }
    }
  }

  /// Skips the highest page that begins at both places.
  private func skipEqualPages(_ old: inout DifferenceSide, _ new: inout DifferenceSide) -> Bool {
    let before = old.startingPages()
    guard !before.isEmpty else { return false }
    let after = new.startingPages()
    for first in before.reversed() {
      if let second = after.first(where: { $0.page == first.page }) {
        old.leave(first.level)
        new.leave(second.level)
        return true
      }
    }
    return false
  }

  // MARK: Entries

  /// Gives an entry that only one side has, with each of its values.
  private mutating func give(
    _ kind: SnapshotDifference.Change.Kind, _ side: borrowing DifferenceSide,
    _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    let key = unsafe side.key
    guard side.tree.itemSize == 0 else {
      return unsafe try body(
        DifferenceWalk.change(kind, key, UnsafeRawBufferPointer(start: nil, count: 0)))
    }
    let (node, bytes, page) = try side.node()
    if node.flags == NodeFlags.database {
      let tree = try database(node, bytes, side, page)
      databases.append(
        (unsafe Array(key), kind == .delete ? tree : nil, kind == .delete ? nil : tree))
      return
    }
    if let tree = try subTree(node, bytes, side, page) {
      return unsafe try giveAll(kind, key, of: tree, side.source, body)
    }
    let all = unsafe try values(node, bytes, side, page, isOld: kind == .delete)
    for index in unsafe all.indices {
      unsafe try body(DifferenceWalk.change(kind, key, all[index]))
    }
  }

  private static func change(
    _ kind: SnapshotDifference.Change.Kind, _ key: UnsafeRawBufferPointer,
    _ value: UnsafeRawBufferPointer
  ) -> SnapshotDifference.Change {
    unsafe SnapshotDifference.Change(
      kind: kind, key: key, old: kind == .delete ? value : nil, new: kind == .insert ? value : nil)
  }

  private func giveAll(
    _ kind: SnapshotDifference.Change.Kind, _ key: UnsafeRawBufferPointer, of tree: PageTree,
    _ source: PageSource, _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    var side = DifferenceSide(source, tree)
    while !side.isDone {
      if side.isBeforePage {
        try side.open()
      } else {
        unsafe try body(DifferenceWalk.change(kind, key, side.key))
        side.advance()
      }
    }
  }

  private mutating func compareValues(
    _ old: borrowing DifferenceSide, _ new: borrowing DifferenceSide,
    _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    guard new.tree.itemSize == 0 else { return }
    let (before, oldBytes, oldPage) = try old.node()
    let (after, newBytes, newPage) = try new.node()
    if before.flags == NodeFlags.database || after.flags == NodeFlags.database {
      if before.flags != NodeFlags.database { try give(.delete, old, body) }
      if after.flags != NodeFlags.database { try give(.insert, new, body) }
      let first =
        before.flags == NodeFlags.database
        ? try database(before, oldBytes, old, oldPage) : nil
      let second =
        after.flags == NodeFlags.database ? try database(after, newBytes, new, newPage) : nil
      // In another file an equal record says nothing of the pages.
      if !difference.isOneFile || first?.record != second?.record {
        databases.append((unsafe Array(new.key), first, second))
      }
      return
    }
    // Where numbers of pages mean the same, equal data is equal whatever it points at.
    let isPlain = (before.flags | after.flags) == 0
    if before.flags == after.flags, isPlain || difference.isOneFile,
      before.dataSize == after.dataSize
    {
      let size = before.flags == NodeFlags.overflow ? 8 : before.dataSize
      if unsafe KeyOrder.bytes.compare(
        oldBytes.slice(before.dataOffset, size), newBytes.slice(after.dataOffset, size)) == 0
      {
        return
      }
    }
    guard new.tree.hasDuplicates else {
      let first = unsafe try value(before, oldBytes, old, isOld: true)
      let second = unsafe try value(after, newBytes, new, isOld: false)
      guard unsafe KeyOrder.bytes.compare(first, second) != 0 else { return }
      return unsafe try body(
        SnapshotDifference.Change(kind: .update, key: new.key, old: first, new: second))
    }
    try compareDuplicates((before, oldBytes, oldPage), old, (after, newBytes, newPage), new, body)
  }

  // MARK: Several values of a key

  private mutating func compareDuplicates(
    _ before: (LeafNode, PageBytes, UInt64), _ old: borrowing DifferenceSide,
    _ after: (LeafNode, PageBytes, UInt64), _ new: borrowing DifferenceSide,
    _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    let key = unsafe new.key
    let oldTree = try subTree(before.0, before.1, old, before.2)
    let newTree = try subTree(after.0, after.1, new, after.2)
    if let oldTree, let newTree {
      var left = DifferenceSide(old.source, oldTree)
      var right = DifferenceSide(new.source, newTree)
      return try compare(&left, &right) { change throws(StoreError) in
        // The keys of these trees are values.
        unsafe try body(DifferenceWalk.change(change.kind, key, change.key))
      }
    }
    // One of them is at most a page, and the other was so not long ago.
    let first = try allValues(before, old, oldTree, isOld: true)
    let second = try allValues(after, new, newTree, isOld: false)
    let order = new.tree.record.flags.duplicateOrder
    var left = first[...]
    var right = second[...]
    while true {
      let direction: Int
      switch (left.first, right.first) {
      case (nil, nil): return
      case (_?, nil): direction = -1
      case (nil, _?): direction = 1
      case (let value?, let other?): direction = DifferenceWalk.compare(value, other, order)
      }
      if direction <= 0, let value = left.popFirst(), direction < 0 {
        unsafe try give(.delete, key, value, body)
      }
      if direction >= 0, let value = right.popFirst(), direction > 0 {
        unsafe try give(.insert, key, value, body)
      }
    }
  }

  private func give(
    _ kind: SnapshotDifference.Change.Kind, _ key: UnsafeRawBufferPointer, _ value: [UInt8],
    _ body: SnapshotDifference.Body
  ) throws(StoreError) {
    // The form for bytes does not pass the type of an error on.
    unsafe try value.withUnsafeBufferPointer { bytes throws(StoreError) in
      unsafe try body(DifferenceWalk.change(kind, key, UnsafeRawBufferPointer(bytes)))
    }
  }

  private mutating func allValues(
    _ entry: (LeafNode, PageBytes, UInt64), _ side: borrowing DifferenceSide, _ tree: PageTree?,
    isOld: Bool
  ) throws(StoreError) -> [[UInt8]] {
    guard let tree else {
      var copies: [[UInt8]] = []
      let all = unsafe try values(entry.0, entry.1, side, entry.2, isOld: isOld)
      for index in unsafe all.indices { unsafe copies.append(Array(all[index])) }
      return copies
    }
    var all: [[UInt8]] = []
    var walk = DifferenceSide(side.source, tree)
    while !walk.isDone {
      if walk.isBeforePage {
        try walk.open()
      } else {
        unsafe all.append(Array(walk.key))
        walk.advance()
      }
    }
    return all
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8], _ order: KeyOrder) -> Int {
    unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { unsafe order.compare(left, $0) }
    }
  }

  /// The database whose record an entry of the main one is.
  private func database(
    _ node: LeafNode, _ bytes: PageBytes, _ side: borrowing DifferenceSide, _ page: UInt64
  ) throws(StoreError) -> PageTree {
    let record = DatabaseRecord(bytes.part(node.dataOffset, node.dataSize), at: 0)
    let problem =
      record.rawFlags & ~DatabaseFlags.known.rawValue != 0
      ? "it has the flags 0x\(String(record.rawFlags, radix: 16))" : record.problem
    if let problem {
      throw StoreError.page(page, "the record of a database: \(problem)").at(side.source.file.path)
    }
    return unsafe PageTree(record, .named, name: Array(side.key))
  }

  /// The tree of an entry's values, when they are in one.
  private func subTree(
    _ node: LeafNode, _ bytes: PageBytes, _ side: borrowing DifferenceSide, _ page: UInt64
  ) throws(StoreError) -> PageTree? {
    guard node.flags == NodeFlags.duplicates | NodeFlags.database else { return nil }
    do throws(StoreError) {
      return try PageTree(
        duplicates: DatabaseRecord(bytes.part(node.dataOffset, node.dataSize), at: 0), of: side.tree
      )
    } catch {
      throw StoreError.page(page, error.message).at(side.source.file.path)
    }
  }

  /// The values of an entry that has no tree of them.
  private mutating func values(
    _ node: LeafNode, _ bytes: PageBytes, _ side: borrowing DifferenceSide, _ page: UInt64,
    isOld: Bool
  ) throws(StoreError) -> [UnsafeRawBufferPointer] {
    guard node.flags == NodeFlags.duplicates else {
      return unsafe [try value(node, bytes, side, isOld: isOld)]
    }
    let data = bytes.part(node.dataOffset, node.dataSize)
    let isFixed = side.tree.record.flags.contains(.dupFixed)
    let layout = try PageLayout(
      data, number: page, isBranch: false, itemSize: isFixed ? max(1, data.uint16(8)) : 0,
      isSubPage: true
    ) { error throws(StoreError) in throw error }
    var values: [UnsafeRawBufferPointer] = unsafe []
    for index in 0..<layout.count { unsafe values.append(layout.key(index)) }
    return unsafe values
  }

  private mutating func value(
    _ node: LeafNode, _ bytes: PageBytes, _ side: borrowing DifferenceSide, isOld: Bool
  ) throws(StoreError) -> UnsafeRawBufferPointer {
    guard node.flags == NodeFlags.overflow else {
      return unsafe bytes.slice(node.dataOffset, node.dataSize)
    }
    let first = bytes.uint64(node.dataOffset)
    return unsafe isOld
      ? try oldValues.read(side.source, first, size: node.dataSize).0
      : try newValues.read(side.source, first, size: node.dataSize).0
  }
}
