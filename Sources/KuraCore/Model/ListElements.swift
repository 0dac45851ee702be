/// One element of a list as a store keeps it.
@usableFromInline struct StoredListElement: Hashable {
  var id: Int64
  var target: RecordKey
}

extension ReferenceList {
  /// The elements as a store keeps them.
  func storedElements() throws(StoreError) -> [StoredListElement] {
    var stored: [StoredListElement] = []
    stored.reserveCapacity(elements.count)
    for element in elements {
      stored.append(StoredListElement(id: element.id, target: try element.key.recordKey()))
    }
    return stored
  }

  /// Makes a list of elements that a store keeps.
  init(_ stored: [StoredListElement]) throws(StoreError) {
    self.init()
    elements.reserveCapacity(stored.count)
    for element in stored {
      guard let key = Target.Key(recordKey: element.target) else {
        throw StoreError(
          .wrongType, "an element of a list refers to a key that cannot be read",
          found: element.target.first.typeName, expected: "\(Target.Key.self)")
      }
      elements.append(Element(id: element.id, reference: Reference(key)))
    }
  }
}

/// Reads the lists of the record that is being read.
@usableFromInline final class ListReader {
  /// The models that keep the lists, in the order of ``Model/modelLists``.
  private let layouts: [ModelLayout]
  private let transaction: any EngineReadTransaction
  private let owner: ModelLayout
  /// The key of the record, when the row lends it no more.
  @usableFromInline var key: RecordKey?

  init(_ layouts: [ModelLayout], of owner: ModelLayout, _ transaction: any EngineReadTransaction) {
    self.layouts = layouts
    self.owner = owner
    self.transaction = transaction
  }

  func elements(_ index: Int, of row: RowBuffer) throws(StoreError) -> [StoredListElement] {
    guard layouts.indices.contains(index) else {
      throw StoreError(.internalError, "\"\(owner.name)\" has no list number \(index)")
    }
    guard let key = key ?? RecordKey(owner.keyColumns.map { row.value(at: $0) }) else { return [] }
    return try StoredList(layouts[index], transaction).elements(of: key.first)
  }
}

/// Takes the lists of the record that is being written.
@usableFromInline final class ListCollector {
  private(set) var lists: [[StoredListElement]]

  init(count: Int) { lists = Array(repeating: [], count: count) }

  func set(_ elements: [StoredListElement], at index: Int) throws(StoreError) {
    guard lists.indices.contains(index) else {
      throw StoreError(.internalError, "there is no list number \(index)")
    }
    lists[index] = elements
  }
}

/// One list model inside a transaction.
struct StoredList {
  private let layout: ModelLayout
  private let transaction: any EngineReadTransaction

  /// The places of the columns, which the schema's check makes sure of.
  private enum Column {
    static let owner = 0
    static let position = 1
    static let element = 2
    static let target = 3
  }

  init(_ layout: ModelLayout, _ transaction: any EngineReadTransaction) {
    self.layout = layout
    self.transaction = transaction
  }

  /// The elements of an owner's list, in order.
  func elements(of owner: StoredValue) throws(StoreError) -> [StoredListElement] {
    let query = BoundQuery(
      layout: layout, condition: .compareValue(column: Column.owner, .equal, owner),
      order: [BoundSortTerm(column: Column.owner), BoundSortTerm(column: Column.position)],
      columns: [Column.element, Column.target])
    let cursor = try transaction.cursor(for: query)
    defer { cursor.close() }
    let row = RowBuffer(columns: 2)
    var elements: [StoredListElement] = []
    while try cursor.next(into: row) {
      elements.append(
        StoredListElement(id: row[0].integer, target: RecordKey(row.value(at: 1))))
    }
    return elements
  }

  /// Makes an owner's list consist of elements; only records that differ are written.
  func replace(
    with elements: [StoredListElement], of owner: StoredValue,
    _ writer: any EngineWriteTransaction, isNew: Bool
  ) throws(StoreError) {
    let old = isNew ? [] : try self.elements(of: owner)
    guard old != elements else { return }
    let row = RowBuffer(columns: layout.columns.count)
    for (position, element) in elements.enumerated() {
      if position < old.count, old[position] == element { continue }
      row.reset()
      row.setValue(owner, at: Column.owner)
      row.setValue(.integer(Int64(position)), at: Column.position)
      row.setValue(.integer(element.id), at: Column.element)
      row.setValue(element.target.first, at: Column.target)
      try writer.write(row, into: layout, mode: position < old.count ? .upsert : .insert)
    }
    for position in elements.count..<max(elements.count, old.count) {
      guard let key = RecordKey([owner, .integer(Int64(position))]) else { continue }
      _ = try writer.delete(key, in: layout)
    }
  }
}
