import CLMDB
import KuraTesting

/// Fills environments with random content.
///
/// Databases of all kinds, long values, deletions, drops and
/// many transactions. One seed gives one content.
struct RandomEnvironment {
  private struct Kind {
    let name: String
    let flags: Int32
    /// The size of keys, 0 for any.
    let keySize: Int
    /// The size of values, 0 for any.
    let valueSize: Int
  }

  private var generator: RepeatableGenerator
  private let most: Int
  private static let shapes: [(Int32, Int, Int)] = [
    (0, 0, 0), (0, 0, 0), (MDB_INTEGERKEY, 8, 0), (MDB_INTEGERKEY, 4, 0), (MDB_REVERSEKEY, 0, 0),
    (MDB_DUPSORT, 0, 0), (MDB_DUPSORT | MDB_REVERSEDUP, 0, 0),
    (MDB_DUPSORT | MDB_DUPFIXED, 0, 12), (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP, 0, 8),
    (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP, 0, 4),
    (MDB_DUPSORT | MDB_INTEGERKEY | MDB_DUPFIXED, 8, 1),
    (MDB_DUPSORT | MDB_REVERSEKEY | MDB_REVERSEDUP, 0, 0),
  ]

  /// - Parameter most: The most operations of a transaction.
  init(seed: UInt64, most: Int = 400) {
    generator = RepeatableGenerator(seed: seed)
    self.most = most
  }

  mutating func fill(_ environment: StockEnvironment) throws {
    var kinds: [Kind] = []
    for number in 0..<Int.random(in: 1...7, using: &generator) {
      let shape = RandomEnvironment.shapes.randomElement(using: &generator) ?? (0, 0, 0)
      kinds.append(
        Kind(name: "db\(number)", flags: shape.0, keySize: shape.1, valueSize: shape.2))
    }
    for _ in 0..<Int.random(in: 1...25, using: &generator) {
      try environment.write { writer in
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          guard let kind = kinds.randomElement(using: &generator) else { return }
          let database = try writer.open(kind.name, kind.flags | MDB_CREATE)
          try change(writer, database, kind)
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
          // Values beside the named databases.
          let main = try writer.open(nil)
          try writer.put(main, [0x76] + bytes(1...20), bytes(0...50))
        }
      }
    }
  }

  private mutating func change(
    _ writer: StockEnvironment.Writer, _ database: MDB_dbi, _ kind: Kind
  ) throws {
    let choice = Int.random(in: 0..<40, using: &generator)
    if choice < 2 { return try writer.drop(database, delete: choice == 0) }
    // Few keys make many values of one key.
    let narrow = Bool.random(using: &generator)
    for _ in 0..<Int.random(in: 1...most, using: &generator) {
      let key = key(kind, narrow: narrow && kind.flags & MDB_DUPSORT != 0)
      let value = value(kind)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0, 1: try writer.delete(database, key)
      case 2 where kind.flags & MDB_DUPSORT != 0: try writer.delete(database, key, value)
      default: try writer.put(database, key, value)
      }
    }
  }

  private mutating func key(_ kind: Kind, narrow: Bool) -> [UInt8] {
    if kind.keySize > 0 {
      let number = UInt64.random(in: 0..<(narrow ? 5 : 5000), using: &generator)
      return (0..<kind.keySize).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    if narrow { return [UInt8.random(in: 97...100, using: &generator)] }
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: return bytes(400...511)
    case 1...4: return bytes(1...40)
    default: return Array("key\(Int.random(in: 0..<3000, using: &generator))".utf8)
    }
  }

  private mutating func value(_ kind: Kind) -> [UInt8] {
    if kind.valueSize > 0 { return bytes(kind.valueSize...kind.valueSize) }
    let isDuplicate = kind.flags & MDB_DUPSORT != 0
    switch Int.random(in: 0..<30, using: &generator) {
    case 0: return isDuplicate ? bytes(300...511) : bytes(2_000...30_000)
    case 1: return isDuplicate ? bytes(1...2) : []
    default: return bytes(1...120)
    }
  }

  private mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
    (0..<Int.random(in: count, using: &generator)).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
  }
}
