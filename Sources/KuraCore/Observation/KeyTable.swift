/// Values by primary key; keys of one integer, the most frequent ones, take less room.
struct KeyTable<Value> {
  private var byNumber: [Int64: Value] = [:]
  private var byKey: [RecordKey: Value] = [:]

  /// The number of keys.
  var count: Int { byNumber.count + byKey.count }

  /// The value of a key.
  subscript(key: RecordKey) -> Value? {
    get {
      if case .integer(let number) = key.first, key.rest.isEmpty { return byNumber[number] }
      return byKey[key]
    }
    set {
      if case .integer(let number) = key.first, key.rest.isEmpty {
        byNumber[number] = newValue
      } else {
        byKey[key] = newValue
      }
    }
  }

  /// Makes room for keys.
  mutating func reserve(_ count: Int) { byNumber.reserveCapacity(count) }
}
