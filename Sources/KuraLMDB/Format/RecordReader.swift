import KuraCore

/// Reads wanted columns of records of one model in place: values borrow the record's bytes.
///
/// A reader belongs to one thread at a time. It allocates when it meets a shape for the first time,
/// never for a record.
@safe final class RecordReader {
  /// How to read the records of one header: which stored property goes where.
  @safe private final class Plan {
    struct Step: BitwiseCopyable {
      /// The column that takes the value; -1 for none.
      var column: Int32
      var form: ValueForm
    }

    /// Whether records may be read by the short way: all forms are frequent ones.
    let isShort: Bool

    /// The stored properties up to the last wanted one.
    let steps: UnsafeMutablePointer<Step>
    let stepCount: Int
    /// The number of stored properties.
    let storedCount: Int
    /// The places, behind the first wanted property, of those whose lengths may take several bytes:
    /// then all values begin later.
    let longPlaces: UnsafeMutablePointer<Int>
    let longPlaceCount: Int
    /// Wanted columns that the records lack, with the positions of their properties.
    let missing: [(column: Int, property: Int)]
    /// Whether wanted columns come from the key.
    let readsKey: Bool

    init(_ all: [Step], missing: [(column: Int, property: Int)], readsKey: Bool) {
      stepCount = (all.lastIndex { $0.column >= 0 } ?? -1) + 1
      isShort =
        missing.isEmpty && stepCount == all.count
        && all.allSatisfy {
          $0.column >= 0 && ($0.form == .integer || $0.form == .text || $0.form == .double)
        }
      storedCount = all.count
      unsafe steps = .allocate(capacity: max(1, all.count))
      for (index, step) in all.enumerated() { unsafe (steps + index).initialize(to: step) }
      let first = all.firstIndex { $0.column >= 0 } ?? all.count
      let places = all.indices.filter { $0 > first && all[$0].form.mayBeLong }
      longPlaceCount = places.count
      unsafe longPlaces = .allocate(capacity: max(1, places.count))
      for (index, place) in places.enumerated() {
        unsafe (longPlaces + index).initialize(to: place)
      }
      self.missing = missing
      self.readsKey = readsKey
    }

    deinit {
      unsafe steps.deallocate()
      unsafe longPlaces.deallocate()
    }
  }

  /// So many records of one kind may be read twice, once in vain.
  private static let mostShortTries = 64

  private let binding: ModelBinding
  private let wanted: Set<Int>
  private var plans: [UInt64: Plan] = [:]
  /// The wanted column of each key property; -1 for none.
  private let keyTargets: [Int]
  /// The column of a wanted key of one integer; -1 when the key is another one or not wanted.
  private let integerKeyColumn: Int

  /// The columns that rows must have.
  private let neededCount: Int

  // The plan of the last record, member by member: nothing is retained for a record.
  private var header = UInt64.max
  private var steps: UnsafeMutablePointer<Plan.Step>?
  private var stepCount = 0
  private var storedCount = 0
  private var longPlaces: UnsafeMutablePointer<Int>?
  private var longPlaceCount = 0
  private var hasMissing = false
  private var readsKey = false
  /// How many more records may turn out not to be read by the short way before it is not tried any more.
  private var shortTries = 0

  /// Whether reading may copy bytes into the row, which must then be reset first.
  let mayCopy: Bool

  /// Makes a reader of some columns of a binding's layout.
  init(_ binding: ModelBinding, columns: some Sequence<Int>) {
    self.binding = binding
    let wanted = Set(columns)
    self.wanted = wanted
    neededCount = (wanted.max() ?? -1) + 1
    keyTargets = binding.keyColumns.map { wanted.contains($0) ? $0 : -1 }
    integerKeyColumn = binding.hasIntegerKey ? (keyTargets.first ?? -1) : -1
    mayCopy = zip(keyTargets, binding.keyTypes).contains { target, type in
      guard target >= 0 else { return false }
      switch type {
      case .text, .json, .data, .decimal, .any: return true
      case .bool, .integer, .double, .date, .uuid, .objectID: return false
      }
    }
  }

  /// Fills the wanted columns of a row.
  ///
  /// Most records are read by a loop that calls nothing, so that its registers stay its own; whatever
  /// is unusual about a record is left to ``readAny(key:value:into:)``.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the bytes contradict themselves,
  ///   ``StoreError/Code/undecodable`` when a value is none of its property's type.
  @inline(__always)
  func read(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, into row: RowBuffer
  ) throws(StoreError) {
    if unsafe readShort(key, value, row) { return }
    unsafe try readAny(key: key, value: value, into: row)
  }

  /// Reads a record whose values are all of frequent forms; `false` for others, and for damaged ones.
  @inline(__always)
  func readShort(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ row: RowBuffer
  ) -> Bool {
    guard shortTries > 0, let base = value.baseAddress, let steps = unsafe steps,
      value.count > storedCount,
      unsafe UInt64(base.load(as: UInt8.self)) == header, row.count >= neededCount
    else { return false }
    let slots = unsafe row.storage
    if readsKey {
      guard integerKeyColumn >= 0, key.count == 8, let start = key.baseAddress else { return false }
      let word = unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
      unsafe slots[integerKeyColumn] = ColumnSlot(.integer, word ^ (1 << 63))
    }
    let limit = unsafe base + value.count
    // Where eight bytes before a value's end can be read.
    let first = unsafe base + 8
    var entry = unsafe base + 1
    var end = unsafe entry + storedCount
    var step = unsafe steps
    let lastStep = unsafe steps + stepCount
    while unsafe step < lastStep {
      let length = unsafe Int(entry.load(as: UInt8.self))
      let target = unsafe slots + Int(step.pointee.column)
      let form = unsafe step.pointee.form
      unsafe entry += 1
      unsafe step += 1
      if length == 0xFF {
        unsafe target.pointee = ColumnSlot(.null)
        continue
      }
      unsafe end += length
      guard length <= 0xFB, unsafe end <= limit, unsafe end >= first,
        unsafe form.readShort(end, length, into: target)
      else {
        shortTries &-= 1
        return false
      }
    }
    return unsafe end == limit
  }

  /// Reads any record.
  @inline(never)
  private func readAny(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, into row: RowBuffer
  ) throws(StoreError) {
    guard let base = value.baseAddress, value.count > 0 else { throw damaged() }
    guard row.count >= neededCount else { throw narrow() }
    let slots = unsafe row.storage
    let count = value.count
    var found = unsafe UInt64(base.load(as: UInt8.self))
    var offset = 1
    if found >= 0x80 { (found, offset) = try unsafe longHeader(value) }
    if found != header { try select(found) }
    if readsKey { try unsafe readKey(key, into: row) }
    if hasMissing { fillMissing(row) }
    let directory = offset
    offset += storedCount
    guard offset <= count, let steps = unsafe steps else { throw damaged() }
    for index in 0..<longPlaceCount {
      let place = unsafe longPlaces?[index] ?? 0
      let length = unsafe base.load(fromByteOffset: directory + place, as: UInt8.self)
      if length > 0xFB, length != 0xFF { return try unsafe readLong(value, directory, into: row) }
    }
    var entry = unsafe base + directory
    var step = unsafe steps
    let end = unsafe steps + stepCount
    while unsafe step < end {
      let length = unsafe Int(entry.load(as: UInt8.self))
      let column = unsafe Int(step.pointee.column)
      let form = unsafe step.pointee.form
      unsafe entry += 1
      unsafe step += 1
      if length > 0xFB {
        if length != 0xFF { return try unsafe readLong(value, directory, into: row) }
        if column >= 0 { unsafe slots[column] = ColumnSlot(.null) }
        continue
      }
      let start = offset
      offset = start &+ length
      guard offset <= count else { throw damaged() }
      guard column >= 0 else { continue }
      guard unsafe form.read(base, start, length, into: slots + column) else {
        throw undecodable(column)
      }
    }
    // Where the last value was read, nothing may follow it.
    guard offset == count || stepCount < storedCount else { throw damaged() }
  }

  /// The same for records with a value of 252 bytes or more.
  @inline(never)
  private func readLong(
    _ value: UnsafeRawBufferPointer, _ directory: Int, into row: RowBuffer
  ) throws(StoreError) {
    guard let base = value.baseAddress, let steps = unsafe steps else { throw damaged() }
    var entry = directory
    for _ in 0..<storedCount { _ = try unsafe length(value, &entry) }
    var offset = entry
    entry = directory
    for index in 0..<stepCount {
      let length = try unsafe length(value, &entry)
      let step = unsafe steps[index]
      guard length >= 0 else {
        if step.column >= 0 { row[Int(step.column)] = ColumnSlot(.null) }
        continue
      }
      guard length <= value.count - offset else { throw damaged() }
      if step.column >= 0 {
        let isRead = unsafe step.form.read(
          base, offset, length, into: row.storage + Int(step.column))
        guard isRead else { throw undecodable(Int(step.column)) }
      }
      offset += length
    }
    guard offset == value.count || stepCount < storedCount else { throw damaged() }
  }

  /// The next length of the directory; -1 for null.
  private func length(_ value: UnsafeRawBufferPointer, _ offset: inout Int) throws(StoreError)
    -> Int
  {
    guard offset < value.count else { throw damaged() }
    let first = unsafe value[offset]
    offset += 1
    switch first {
    case 0xFF: return -1
    case 0xFC:
      guard value.count - offset >= 2 else { throw damaged() }
      defer { offset += 2 }
      return unsafe Int(
        UInt16(littleEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    case 0xFD:
      guard value.count - offset >= 4 else { throw damaged() }
      defer { offset += 4 }
      return unsafe Int(
        UInt32(littleEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case 0xFE: throw damaged()
    default: return Int(first)
    }
  }

  /// A header of more than one byte.
  private func longHeader(_ value: UnsafeRawBufferPointer) throws(StoreError) -> (UInt64, Int) {
    var (header, offset) = (0 as UInt64, 0)
    while offset < value.count, offset < 5 {
      let byte = unsafe value[offset]
      header |= UInt64(byte & 0x7F) << UInt64(7 * offset)
      offset += 1
      if byte < 0x80 { return (header, offset) }
    }
    throw damaged()
  }

  private func fillMissing(_ row: RowBuffer) {
    guard let plan = plans[header] else { return }
    for (column, property) in plan.missing { row[column] = binding.initials[property] }
  }

  @inline(__always)
  private func readKey(_ key: UnsafeRawBufferPointer, into row: RowBuffer) throws(StoreError) {
    guard integerKeyColumn >= 0 else { return try unsafe readAnyKey(key, into: row) }
    guard key.count == 8, let start = key.baseAddress else { throw damaged() }
    let word = unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
    unsafe row.storage[integerKeyColumn] = ColumnSlot(.integer, word ^ (1 << 63))
  }

  private func readAnyKey(_ key: UnsafeRawBufferPointer, into row: RowBuffer)
    throws(StoreError)
  {
    var reader = unsafe OrderedKeyReader(key)
    for (type, target) in zip(binding.keyTypes, keyTargets) {
      let isRead =
        target < 0
        ? reader.skip(type) : reader.read(type, into: row, column: target)
      guard isRead else { throw damaged() }
    }
    guard reader.isAtEnd else { throw damaged() }
  }

  /// Makes the plan of a header the current one.
  @inline(never)
  private func select(_ found: UInt64) throws(StoreError) {
    let plan = try plan(found)
    header = found
    unsafe steps = plan.steps
    stepCount = plan.stepCount
    storedCount = plan.storedCount
    unsafe longPlaces = plan.longPlaces
    longPlaceCount = plan.longPlaceCount
    hasMissing = !plan.missing.isEmpty
    readsKey = plan.readsKey
    shortTries = plan.isShort && found < 0x80 ? RecordReader.mostShortTries : 0
  }

  private func plan(_ header: UInt64) throws(StoreError) -> Plan {
    if let plan = plans[header] { return plan }
    let model = binding.model
    guard header >> 1 < UInt64(model.shapes.count) else { throw damaged() }
    let storesKey = header & 1 == 1
    let shape = model.shapes[Int(header >> 1)]
    let stored = (storesKey ? model.primaryKey : []) + shape
    let steps = stored.map { id in
      let position = binding.position(id)
      let column = position.flatMap { binding.columns[$0] }.flatMap {
        wanted.contains($0) ? $0 : nil
      }
      return Plan.Step(
        column: Int32(column ?? -1),
        form: position.map { ValueForm(model.properties[$0].type) } ?? .data)
    }
    let isStored = Set(stored).union(model.primaryKey)
    var missing: [(column: Int, property: Int)] = []
    for (position, property) in model.properties.enumerated() where !isStored.contains(property.id)
    {
      if let column = binding.columns[position], wanted.contains(column) {
        missing.append((column, position))
      }
    }
    let plan = Plan(
      steps, missing: missing, readsKey: !storesKey && keyTargets.contains { $0 >= 0 })
    plans[header] = plan
    return plan
  }

  // Errors are made apart, so that the registers of the loop are the loop's.

  @inline(never)
  private func narrow() -> StoreError {
    StoreError(.internalError, "a row has fewer columns than \"\(binding.layout.name)\"")
  }

  @inline(never)
  private func damaged() -> StoreError {
    StoreError(
      .damaged, "a record of \"\(binding.model.name)\" contradicts itself",
      suggestion: "check the file with `store-inspect check --deep`")
  }

  @inline(never)
  private func undecodable(_ column: Int) -> StoreError {
    let property = binding.layout.columns[column]
    return StoreError(
      .undecodable,
      "a stored value of \"\(binding.model.name)\".\"\(property.name)\" is not of the property's "
        + "type", expected: property.type.rawValue,
      suggestion: "check the file with `store-inspect check --deep`")
  }
}
