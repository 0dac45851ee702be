/// Sorts any number of items in bounded memory.
///
/// An item is a key and a payload, ordered by their bytes one after the other. What does not fit into
/// memory goes to one temporary file as sorted runs, which are merged; with very many runs in several
/// passes between two files. A sorter belongs to one thread at a time.
package final class ExternalSorter {
  /// The usual bound of a sorter's memory.
  package static let usualMemoryLimit = 8 << 20

  private let memoryLimit: Int
  /// How many of the first items are wanted.
  private let wanted: Int?
  private let limits: ExecutionLimits?
  private let items: SortItems
  private var file: SpillFile?
  private var runs: [Range<Int64>] = []
  /// Key and payload of an item that is not among the first ones wanted, nor is any after it.
  private var excluded: [UInt8]?
  private var merge: SortMerge?
  private var position = 0
  private var isFinished = false
  private var current: UnsafeRawPointer?
  /// The number of times that items went to a file.
  package private(set) var spillCount = 0

  /// The memory taken from the system, without the half of an index of the items that sorting needs.
  package var memoryInUse: Int { items.allocatedByteCount + (merge?.bufferByteCount ?? 0) }

  /// Makes a sorter.
  ///
  /// - Parameters:
  ///   - wanted: How many of the first items are wanted; `nil` for all.
  ///   - memoryLimit: About the bytes of memory to use, apart from single items that are larger.
  package init(
    wanted: Int? = nil, memoryLimit: Int = usualMemoryLimit, limits: ExecutionLimits? = nil
  ) {
    self.wanted = wanted
    self.memoryLimit = max(4096, memoryLimit)
    items = SortItems(memoryLimit: self.memoryLimit)
    self.limits = limits
  }

  /// Adds an item.
  ///
  /// - Throws: ``StoreError/Code/diskFull``, ``StoreError/Code/ioError``,
  ///   ``StoreError/Code/limitReached`` for an item beyond 4 GB.
  package func add(_ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer)
    throws(StoreError)
  {
    guard key.count < UInt32.max, payload.count < UInt32.max else {
      throw StoreError(.limitReached, "a value is too large to be sorted")
    }
    if let excluded, !ExternalSorter.isBefore(key, payload, excluded) { return }
    let size = SortItems.byteCount(key: key.count, payload: payload.count)
    if items.count > 0, items.byteCount + size > memoryLimit {
      if let wanted, items.count > wanted { dropUnwanted(wanted) }
      if items.byteCount + size > memoryLimit / 2 { try spill() }
    } else if let wanted, items.count >= 1024, items.count / 2 >= wanted {
      dropUnwanted(wanted)
    }
    items.add(key, payload)
  }

  /// Ends adding; the items can then be read from the first one on.
  package func finish() throws(StoreError) {
    isFinished = true
    position = 0
    guard !runs.isEmpty else {
      items.sort()
      if let wanted { items.keepFirst(wanted) }
      return
    }
    if items.count > 0 { try spill() }
    items.removeAll(keeping: 0)
    let fanIn = max(2, min(64, memoryLimit / 32_768))
    while runs.count > fanIn { try mergePass(fanIn) }
    merge = try openMerge(runs[...], bufferSize: memoryLimit / max(1, runs.count))
  }

  /// Moves to the next item in order; `false` after the last one.
  package func next() throws(StoreError) -> Bool {
    current = nil
    guard isFinished, wanted.map({ position < $0 }) ?? true else { return false }
    if let merge {
      current = try merge.next()
    } else if position < items.count {
      current = items.item(position)
    }
    guard current != nil else { return false }
    position += 1
    return true
  }

  /// The current item's key; valid until the next call of anything.
  package var key: UnsafeRawBufferPointer {
    guard let current else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      start: current + SortItems.headerCount, count: SortItems.keyCount(current))
  }

  /// The current item's payload; valid until the next call of anything.
  package var payload: UnsafeRawBufferPointer {
    guard let current else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let offset = SortItems.headerCount + SortItems.keyCount(current)
    return UnsafeRawBufferPointer(
      start: current + offset, count: SortItems.size(current) - offset)
  }

  /// Forgets all items and begins anew, with the same memory.
  package func reset() throws(StoreError) {
    items.removeAll(keeping: memoryLimit)
    if !runs.isEmpty { try file?.clear() }
    runs = []
    excluded = nil
    merge = nil
    current = nil
    isFinished = false
  }

  // MARK: Runs

  /// Keeps the first items only, and remembers what need not be added any more.
  private func dropUnwanted(_ wanted: Int) {
    items.sort()
    items.keepFirst(wanted)
    guard wanted > 0, items.count == wanted else {
      excluded = wanted == 0 ? [] : excluded
      return
    }
    let last = items.item(wanted - 1)
    excluded = Array(
      UnsafeRawBufferPointer(
        start: last + SortItems.headerCount, count: SortItems.size(last) - SortItems.headerCount))
  }

  /// Writes the items in memory as a run.
  private func spill() throws(StoreError) {
    items.sort()
    if let wanted { items.keepFirst(wanted) }
    let file = try openFile()
    let start = file.size
    let writer = ByteWriter { bytes throws(StoreError) in try file.append(bytes) }
    for position in 0..<items.count {
      let item = items.item(position)
      try writer.append(UnsafeRawBufferPointer(start: item, count: SortItems.size(item)))
    }
    try writer.flush()
    runs.append(start..<file.size)
    spillCount += 1
    items.removeAll(keeping: memoryLimit)
  }

  private func openFile() throws(StoreError) -> SpillFile {
    if let file { return file }
    let file = try SpillFile()
    self.file = file
    return file
  }

  /// Merges the runs into fewer ones in another file.
  private func mergePass(_ fanIn: Int) throws(StoreError) {
    let target = try SpillFile()
    var merged: [Range<Int64>] = []
    var start = 0
    while start < runs.count {
      let end = min(runs.count, start + fanIn)
      let merge = try openMerge(runs[start..<end], bufferSize: memoryLimit / (fanIn + 1))
      let offset = target.size
      let writer = ByteWriter { bytes throws(StoreError) in try target.append(bytes) }
      var count = 0
      while wanted.map({ count < $0 }) ?? true, let item = try merge.next() {
        try writer.append(UnsafeRawBufferPointer(start: item, count: SortItems.size(item)))
        count += 1
        if count % 4096 == 0 { try limits?.check() }
      }
      try writer.flush()
      merged.append(offset..<target.size)
      start = end
    }
    file = target
    runs = merged
  }

  private func openMerge(_ parts: ArraySlice<Range<Int64>>, bufferSize: Int) throws(StoreError)
    -> SortMerge
  {
    guard let file else { return try SortMerge([]) }
    return try SortMerge(parts.map { SortRun(file, $0, bufferSize: bufferSize) })
  }

  /// Whether an item is before another one's bytes.
  private static func isBefore(
    _ key: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, _ other: [UInt8]
  ) -> Bool {
    other.withUnsafeBytes { other in
      let common = min(key.count, other.count)
      let order = compare(key, UnsafeRawBufferPointer(rebasing: other.prefix(common)), common)
      if order != 0 { return order < 0 }
      if common < key.count { return false }
      let rest = UnsafeRawBufferPointer(rebasing: other.dropFirst(common))
      let shared = min(payload.count, rest.count)
      let last = compare(payload, rest, shared)
      return last != 0 ? last < 0 : payload.count < rest.count
    }
  }

  private static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ count: Int
  ) -> Int {
    for index in 0..<count where left[index] != right[index] {
      return left[index] < right[index] ? -1 : 1
    }
    return 0
  }
}
