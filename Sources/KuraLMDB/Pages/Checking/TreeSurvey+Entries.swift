import KuraCore

extension TreeSurvey {
  /// Looks at the entries of a leaf, whose keys are at least `lower` and less than `upper`.
  func visitEntries(
    _ layout: PageLayout, _ number: UInt64, _ walk: inout Walk, lower: UnsafeRawBufferPointer?,
    upper: UnsafeRawBufferPointer?
  ) throws(StoreError) {
    if layout.count == 0 { sink.fault(.page(number, "a leaf has no entries")) }
    if checksOrder { unsafe checkOrder(layout, number, &walk, lower: lower, upper: upper) }
    if layout.kind == .fixed {
      walk.tally.entries += Int64(layout.count)
      walk.tally.keys += Int64(layout.count)
      return
    }
    for index in 0..<layout.count {
      guard let node = layout.node(index) else {
        // The layout has complained about it already.
        walk.tally.isWhole = false
        continue
      }
      let problem =
        walk.tree.role == .duplicates
        ? walk.tree.innerProblem(node)
        : walk.tree.problem(flags: node.flags, dataSize: node.dataSize)
      if let problem {
        sink.fault(.page(number, problem))
        walk.tally.isWhole = false
        continue
      }
      walk.tally.keys += 1
      if walk.tree.role != .duplicates {
        checkKey(node.keySize, number, &walk)
        walk.tally.keySizes.add(node.keySize)
      }
      try visitEntry(node, layout, number, &walk)
    }
  }

  private func visitEntry(
    _ node: LeafNode, _ layout: PageLayout, _ number: UInt64, _ walk: inout Walk
  ) throws(StoreError) {
    let data = layout.bytes.part(node.dataOffset, node.dataSize)
    switch node.flags {
    case NodeFlags.overflow:
      walk.tally.entries += 1
      walk.tally.valueSizes.add(node.dataSize)
      unsafe try visitLongValue(
        layout.bytes.uint64(node.dataOffset), node.dataSize, &walk,
        key: layout.bytes.slice(node.keyOffset, node.keySize), number)
    case NodeFlags.duplicates:
      try visitSubPage(data, number, &walk)
    case NodeFlags.duplicates | NodeFlags.database:
      let tree: PageTree
      do throws(StoreError) {
        tree = try PageTree(duplicates: DatabaseRecord(data, at: 0), of: walk.tree)
      } catch {
        return try lose(.page(number, error.message), &walk)
      }
      if tree.record.isEmpty { sink.fault(.page(number, "a key has no values")) }
      walk.tally.add(duplicates: try visit(tree))
    default:
      walk.tally.entries += 1
      walk.tally.valueSizes.add(node.dataSize)
      let key = unsafe layout.bytes.slice(node.keyOffset, node.keySize)
      if node.flags == NodeFlags.database {
        unsafe sink.database(Array(key), DatabaseRecord(data, at: 0))
      } else if walk.tree.role == .free {
        unsafe sink.freeEntry(key, data.slice(0, data.count), number)
      }
    }
  }

  private func visitSubPage(_ data: PageBytes, _ number: UInt64, _ walk: inout Walk)
    throws(StoreError)
  {
    let isFixed = walk.tree.record.flags.contains(.dupFixed)
    let page: PageLayout
    do throws(StoreError) {
      page = try PageLayout(
        data, number: number, isBranch: false, itemSize: isFixed ? max(1, data.uint16(8)) : 0,
        isSubPage: true
      ) { error throws(StoreError) in sink.fault(error) }
    } catch {
      return try lose(error, &walk)
    }
    if page.count == 0 { sink.fault(.page(number, "a key has no values")) }
    for index in 0..<page.count {
      if page.kind != .fixed {
        guard let node = page.node(index), walk.tree.innerProblem(node) == nil else {
          sink.fault(.page(number, "a value of a key has flags or data of its own"))
          walk.tally.isWhole = false
          continue
        }
      }
      walk.tally.entries += 1
      unsafe walk.tally.valueSizes.add(page.key(index).count)
      guard checksOrder, index > 0 else { continue }
      let order = walk.tree.record.flags.duplicateOrder
      walk.tally.pairs += 1
      let result = unsafe order.compare(page.key(index - 1), page.key(index))
      if result == 0 { sink.fault(.page(number, "a key has a value twice")) }
      if result > 0 {
        walk.tally.disorder += 1
        walk.tally.disorderedPage = walk.tally.disorderedPage ?? number
      }
    }
  }

  private func visitLongValue(
    _ first: UInt64, _ size: Int, _ walk: inout Walk, key: UnsafeRawBufferPointer, _ number: UInt64
  ) throws(StoreError) {
    let needed = (PageLayout.headerSize - 1 + size) / source.meta.pageSize + 1
    do throws(StoreError) {
      let header = try source.header(first)
      if header.number != first {
        sink.fault(.page(first, "its header says page \(header.number)"))
      }
      guard header.flags == PageFlags.overflow else {
        throw .page(
          first, "the page has the flags 0x\(String(header.flags, radix: 16)), not those of a value"
        )
      }
      // A smaller value is written over a longer one: the run may be longer than needed.
      guard let run = Int(exactly: header.pages), run >= needed else {
        throw .page(first, "the value needs \(needed) pages, its header says \(header.pages)")
      }
      guard claim(first, run, &walk) else { return }
      walk.tally.overflowPages += Int64(run)
      // Values of the free list are looked at; others only to see whether the disk gives them.
      if walk.tree.role == .free {
        let value = unsafe try longValue(first, size: size)
        unsafe sink.freeEntry(key, value, number)
      } else if readsLongValues, size <= source.valueLimit {
        _ = unsafe try longValue(first, size: size)
      }
    } catch {
      try lose(error, &walk)
    }
  }

  private func checkKey(_ size: Int, _ number: UInt64, _ walk: inout Walk) {
    if size == 0 { sink.fault(.page(number, "a key is empty, which LMDB never writes")) }
    guard walk.tree.record.flags.contains(.integerKey) || walk.tree.role == .free else { return }
    let expected = walk.tree.role == .free ? 8 : walk.tally.integerSize ?? size
    walk.tally.integerSize = expected
    if size != expected || size != 4 && size != 8 {
      sink.fault(.page(number, "an integer key has \(size) bytes"))
    }
  }

  private func checkOrder(
    _ layout: PageLayout, _ number: UInt64, _ walk: inout Walk, lower: UnsafeRawBufferPointer?,
    upper: UnsafeRawBufferPointer?
  ) {
    guard layout.count > 0 else { return }
    if let lower = unsafe lower {
      walk.tally.pairs += 1
      if unsafe walk.tree.order.compare(lower, layout.key(0)) > 0 {
        walk.tally.disorder += 1
        walk.tally.disorderedPage = walk.tally.disorderedPage ?? number
      }
    }
    var index = 1
    while index < layout.count {
      unsafe compare(layout.key(index - 1), layout.key(index), number, &walk)
      index += 1
    }
    if let upper = unsafe upper {
      unsafe compare(layout.key(layout.count - 1), upper, number, &walk)
    }
  }
}
