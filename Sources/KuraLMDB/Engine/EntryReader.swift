import KuraCore

/// Reads columns from index entries, which have the indexed values and the record's key.
final class EntryReader {
  private let componentTypes: [ValueType]
  private let componentTargets: [Int]
  private let keyTypes: [ValueType]
  private let keyTargets: [Int]
  private let readsKey: Bool
  /// Whether reading may copy bytes into the row.
  let mayCopy = true

  init(_ binding: ModelBinding, components: [Int], columns: [Int]) {
    let wanted = Set(columns)
    // What is behind the last wanted component is left alone: of a cut entry it cannot be read.
    let read = components.prefix((components.lastIndex { wanted.contains($0) } ?? -1) + 1)
    componentTypes = read.map { binding.layout.columns[$0].type }
    componentTargets = read.map { wanted.contains($0) ? $0 : -1 }
    keyTypes = binding.keyTypes
    keyTargets = binding.keyColumns.map {
      wanted.contains($0) && !components.contains($0) ? $0 : -1
    }
    readsKey = keyTargets.contains { $0 >= 0 }
  }

  /// Fills the wanted columns; `false` when the bytes are none of such an entry.
  func read(
    _ entryKey: UnsafeRawBufferPointer, _ recordKey: UnsafeRawBufferPointer, into row: RowBuffer
  ) -> Bool {
    var reader = unsafe OrderedKeyReader(entryKey)
    for (type, target) in zip(componentTypes, componentTargets) {
      let isRead =
        target < 0
        ? reader.skipTagged(type) : reader.readTagged(type, into: row, column: target)
      guard isRead else { return false }
    }
    guard readsKey else { return true }
    reader = unsafe OrderedKeyReader(recordKey)
    for (type, target) in zip(keyTypes, keyTargets) {
      let isRead =
        target < 0 ? reader.skip(type) : reader.read(type, into: row, column: target)
      guard isRead else { return false }
    }
    return true
  }
}
