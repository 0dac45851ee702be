/// A query whose rows are some properties of its records, or groups of them with numbers.
///
/// ```swift
/// let rows = try store.read { transaction in
///   try transaction.rows(CoopResult.all.select { ($0.playedAt, $0.goldenEggs) })
/// }
/// for (playedAt, goldenEggs) in rows { … }
/// ```
public struct TypedRows<Root: Model, each Value>: Sendable {
  private var rest: Query
  private let condition: TypedCondition<Root>
  private let having: TypedCondition<Root>?
  private let columns: (repeat TypedNumber<Root, each Value>)

  init(
    _ query: TypedQuery<Root>, groups: [PropertyPath]? = nil,
    having: TypedCondition<Root>? = nil, columns: (repeat TypedNumber<Root, each Value>)
  ) {
    rest = query.rest
    rest.groups = groups
    condition = query.condition
    self.having = having
    self.columns = columns
  }

  /// The query as a value without types.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value in it that no store can keep,
  ///   ``StoreError/Code/unsupportedQuery`` for a number over a list as a column.
  public func query() throws(StoreError) -> Query {
    var query = rest
    query.condition = try condition.get()
    query.having = try having?.get()
    var names: [QueryColumn] = []
    for column in repeat each columns { names.append(try column.rowColumn()) }
    query.columns = names
    return query
  }

  /// Of rows with equal values the first one, in the order of its record's key; not of groups.
  public func distinct() -> Self {
    changed { query in
      var paths: [PropertyPath] = []
      for column in repeat each columns {
        if case .property(let path) = column.operand { paths.append(path) }
      }
      query.distinct = paths
    }
  }

  /// At most so many rows.
  public func limit(_ count: Int) -> Self { changed { $0.limit = count } }

  /// Without the first rows.
  public func offset(_ count: Int) -> Self { changed { $0.offset = count } }

  private func changed(_ change: (inout Query) -> Void) -> Self {
    var copy = self
    change(&copy.rest)
    return copy
  }

  /// The values of a row.
  ///
  /// - Throws: ``StoreError/Code/wrongType`` for a value that the property's type cannot be.
  func values(_ row: RowBuffer) throws(StoreError) -> (repeat each Value) {
    var place = 0
    return (repeat try (each columns).value(row, &place))
  }
}

extension TypedNumber {
  /// The number as a column of rows.
  func rowColumn() throws(StoreError) -> QueryColumn {
    switch operand {
    case .property(let path): return .property(path)
    case .groupNumber(let column): return column
    case .value, .arithmetic, .count, .listNumber:
      throw StoreError(
        .unsupportedQuery, "a number over a list is no column of rows",
        suggestion: "use it in a condition")
    }
  }

  fileprivate func value(_ row: RowBuffer, _ place: inout Int) throws(StoreError) -> Value {
    let stored = row.value(at: place)
    place += 1
    guard let value = decode(stored) else {
      throw StoreError(
        .wrongType, "column \(place) of a row cannot be read as the property's type",
        found: stored.typeName, expected: "\(Value.self)")
    }
    return value
  }
}

extension Property {
  /// The property as a column of rows.
  var asColumn: TypedNumber<Root, Value> {
    TypedNumber(.property(path), encode: encode, decode: decode)
  }
}

extension TypedQuery {
  /// Some properties of the records, one tuple a record.
  public func select<each Value>(
    _ make: (Root.Properties) -> (repeat Property<Root, each Value>)
  ) -> TypedRows<Root, repeat each Value> {
    let properties = make(Root.modelProperties)
    return TypedRows(self, columns: (repeat (each properties).asColumn))
  }

  /// Groups of the records that have equal values of some properties.
  public func grouped<each Value>(
    _ make: (Root.Properties) -> (repeat Property<Root, each Value>)
  ) -> GroupedQuery<Root> {
    let properties = make(Root.modelProperties)
    var paths: [PropertyPath] = []
    for property in repeat each properties { paths.append(property.path) }
    return GroupedQuery(self, by: paths)
  }
}

extension ReadTransaction {
  /// Reads all rows of a query.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``; ``StoreError/Code/notStorable`` for a sum of
  ///   integers beyond 64 bits.
  public func rows<Root: Model, each Value>(_ rows: TypedRows<Root, repeat each Value>)
    throws(StoreError) -> [(repeat each Value)]
  {
    var found: [(repeat each Value)] = []
    do {
      let bound = try boundRows(try rows.query())
      let cursor = try bound.cursor(engineTransaction)
      defer { cursor.close() }
      let row = RowBuffer(columns: bound.columnNames.count)
      while try cursor.next(into: row) { found.append(try rows.values(row)) }
    } catch {
      throw located(error)
    }
    return found
  }

  /// How the backend would execute a query, one step a line.
  ///
  /// - Throws: As ``records(_:)-(TypedQuery<Root>)``.
  public func explain<Root: Model, each Value>(_ rows: TypedRows<Root, repeat each Value>)
    throws(StoreError) -> [String]
  {
    try explain(try rows.query())
  }
}
