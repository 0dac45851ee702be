/// Reads the sorted items of one part of a ``SpillFile`` in turn.
final class SortRun {
  private let file: SpillFile
  private var offset: Int64
  private let end: Int64
  private var buffer: UnsafeMutableRawPointer
  /// The bytes of the buffer.
  private(set) var capacity: Int
  private var position = 0
  private var filled = 0

  /// Prepares to read from one offset to another.
  init(_ file: SpillFile, _ part: Range<Int64>, bufferSize: Int) {
    self.file = file
    offset = part.lowerBound
    end = part.upperBound
    capacity = max(64, bufferSize)
    buffer = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// The current item with its header; valid until ``next()``.
  private(set) var item: UnsafeRawPointer?

  /// Moves to the next item and says whether there is one.
  func next() throws(StoreError) -> Bool {
    item = nil
    guard try fill(SortItems.headerCount) else { return false }
    let size = SortItems.size(buffer + position)
    guard try fill(size) else { return false }
    item = UnsafeRawPointer(buffer + position)
    position += size
    return true
  }

  /// Makes sure that a number of bytes is there from the position on; `false` at the end.
  private func fill(_ count: Int) throws(StoreError) -> Bool {
    guard filled - position < count else { return true }
    let rest = filled - position
    if count > capacity {
      let larger = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      larger.copyMemory(from: buffer + position, byteCount: rest)
      buffer.deallocate()
      buffer = larger
      capacity = count
    } else if rest > 0 {
      buffer.copyMemory(from: buffer + position, byteCount: rest)
    }
    position = 0
    filled = rest
    let more = Int(min(Int64(capacity - rest), end - offset))
    guard more > 0, rest + more >= count else { return false }
    try file.read(
      at: offset, into: UnsafeMutableRawBufferPointer(start: buffer + rest, count: more))
    offset += Int64(more)
    filled += more
    return true
  }
}

/// Gives the items of several runs in one order.
final class SortMerge {
  /// A heap: no run's item is before that of the run at half its position.
  private var heap: [SortRun] = []
  private var isStarted = false

  /// Begins to merge.
  init(_ runs: [SortRun]) throws(StoreError) {
    for run in runs where try run.next() {
      heap.append(run)
      rise(heap.count - 1)
    }
  }

  /// The memory of the buffers.
  var bufferByteCount: Int { heap.reduce(0) { $0 + $1.capacity } }

  /// Moves to the next item, which is valid until the next call; `nil` at the end.
  func next() throws(StoreError) -> UnsafeRawPointer? {
    if isStarted, let first = heap.first {
      if try !first.next() {
        let last = heap.removeLast()
        if !heap.isEmpty { heap[0] = last }
      }
      sink()
    }
    isStarted = true
    return heap.first?.item
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    guard let one = heap[left].item, let two = heap[right].item else { return false }
    return SortItems.compare(one, two) < 0
  }

  private func rise(_ start: Int) {
    var index = start
    while index > 0, isBefore(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func sink() {
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && isBefore(child, least) {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
