/// A query as backends execute it that know one model at a time: with keys in the place of
/// subqueries, or with derived columns that look at other records for each record.
package struct PreparedQuery {
  /// The most keys, and bytes of keys, that are looked up first and kept while the query runs.
  package static let maximumKeyCount = 20_000
  static let maximumKeyByteCount = 1 << 20

  /// The query; its layout is that of the source.
  package private(set) var query: BoundQuery
  /// The records, with derived columns where there are any.
  package private(set) var source: any RecordSource
  /// What was looked up, for people.
  private var notes: [String] = []
  private let sources: any RecordSources
  private let looksUpKeys: Bool
  private var memoryLeft = PreparedQuery.maximumKeyByteCount

  /// Prepares a query.
  ///
  /// Keys are looked up first as long as they are few; without that, each record is looked at when a
  /// walk comes to it, which is better when the rest of the condition leaves few records as well.
  ///
  /// - Parameter looksUpKeys: Whether the query is executed for very many records, so that looking at
  ///   other records for each of them cannot be better.
  package init(
    _ query: BoundQuery, _ sources: any RecordSources, looksUpKeys: Bool = false
  ) throws(StoreError) {
    self.query = query
    self.sources = sources
    self.looksUpKeys = looksUpKeys
    source = try sources.recordSource(query.layout)
    guard !query.derived.isEmpty || query.condition.hasSubquery else { return }
    if query.condition.hasSubquery {
      let walked = looksUpKeys ? .infinity : try estimate()
      self.query.condition = try resolved(query.condition, walked: walked)
    }
    guard !self.query.derived.isEmpty else { return }
    source = DerivedSource(source, self.query.derived, sources)
    if query.columns == nil { self.query.columns = Array(query.layout.columns.indices) }
    self.query.derived = []
    self.query.layout = source.layout
  }

  /// Begins to walk over the query's records.
  package func cursor() throws(StoreError) -> QueryCursor { try source.cursor(for: query) }

  /// How the query is executed, one step a line.
  package func explain() throws(StoreError) -> [String] {
    let lines = notes + (try source.explain(query))
    guard query.layout.storedCount < query.layout.columns.count else { return lines }
    let names = query.layout.columns.dropFirst(query.layout.storedCount).map(\.name)
    return lines + names.map { "  from other records, for each record: \($0)" }
  }

  /// About how many records are walked when nothing is looked up first.
  private func estimate() throws(StoreError) -> Double {
    var derived = query.derived
    var plain = query
    plain.condition = query.condition.mappingSubqueries { column, subquery in
      derived.append(PreparedQuery.membership(column, subquery, query.layout))
      return .compareValue(
        column: query.layout.columns.count + derived.count - 1, .equal, .bool(true))
    }
    let offered = SourceOffer(DerivedSource(source, derived, sources))
    plain.columns = []
    plain.layout = offered.layout
    plain.derived = []
    return PreparedQuery.walkedCount(plain, offered)
  }

  /// About how many records a query's walks come to.
  private static func walkedCount(_ query: BoundQuery, _ offer: SourceOffer) -> Double {
    QueryPlanner.plan(query, over: offer).steps.reduce(0) { $0 + $1.estimatedCount }
  }

  private mutating func resolved(_ condition: BoundCondition, walked: Double) throws(StoreError)
    -> BoundCondition
  {
    switch condition {
    case .among(let column, let subquery):
      return try resolved(column, subquery, walked: walked)
    case .all(let parts): return .conjunction(try resolved(parts, walked))
    case .any(let parts): return .disjunction(try resolved(parts, walked))
    case .not(let part): return .negation(try resolved(part, walked: walked))
    default: return condition
    }
  }

  private mutating func resolved(_ parts: [BoundCondition], _ walked: Double) throws(StoreError)
    -> [BoundCondition]
  {
    var found: [BoundCondition] = []
    for part in parts { found.append(try resolved(part, walked: walked)) }
    return found
  }

  private mutating func resolved(_ column: Int, _ subquery: BoundSubquery, walked: Double)
    throws(StoreError) -> BoundCondition
  {
    let inner = try PreparedQuery(subquery.query, sources)
    let text = subquery.text(of: subquery.layout.nameInQuery(subquery.column))
    // A look at another record costs about as much as a search.
    let cost = PreparedQuery.walkedCount(inner.query, SourceOffer(inner.source))
    if walked * PlanningCost.search >= cost, let values = try values(subquery, inner) {
      notes.append("look up \(values.count) keys first: \(text)")
      return values.isEmpty ? .never : .oneOf(column: column, values)
    }
    query.derived.append(PreparedQuery.membership(column, subquery, query.layout))
    return .compareValue(
      column: query.rowLayout.columns.count - 1, .equal, .bool(true))
  }

  private static func membership(
    _ column: Int, _ subquery: BoundSubquery, _ layout: ModelLayout
  ) -> DerivedColumn {
    DerivedColumn(
      name: subquery.text(of: layout.nameInQuery(column)), type: .bool, isOptional: false,
      content: .membership(column: column, subquery))
  }

  /// The subquery's values, each once; `nil` when they are too many.
  private mutating func values(_ subquery: BoundSubquery, _ inner: PreparedQuery)
    throws(StoreError) -> [StoredValue]?
  {
    let walk = try inner.cursor()
    defer { walk.close() }
    let row = RowBuffer(columns: 1)
    var values: [StoredValue] = []
    var (last, occurrences, byteCount) = (StoredValue.null, Int64(0), 0)
    func take() -> Bool {
      guard !last.isNull, subquery.isEnough(occurrences) else { return true }
      values.append(last)
      byteCount += last.byteCount
      return values.count <= PreparedQuery.maximumKeyCount && byteCount <= memoryLeft
    }
    while try walk.next(into: row) {
      let value = row.value(at: 0)
      if value == last {
        occurrences += 1
      } else {
        guard take() else { return nil }
        (last, occurrences) = (value, 1)
      }
    }
    guard take() else { return nil }
    memoryLeft -= byteCount
    return values
  }
}

extension BoundSubquery {
  /// The query for the subquery's values, equal ones one after the other.
  fileprivate var query: BoundQuery {
    var order = [BoundSortTerm(column: column)]
    for key in layout.keyColumns where key != column { order.append(BoundSortTerm(column: key)) }
    return BoundQuery(
      layout: layout, condition: condition, order: order, columns: [column], derived: derived)
  }
}

extension BoundCondition {
  /// The condition with something else in the place of each subquery.
  fileprivate func mappingSubqueries(_ change: (Int, BoundSubquery) -> BoundCondition)
    -> BoundCondition
  {
    switch self {
    case .among(let column, let subquery): change(column, subquery)
    case .all(let parts): .all(parts.map { $0.mappingSubqueries(change) })
    case .any(let parts): .any(parts.map { $0.mappingSubqueries(change) })
    case .not(let part): .not(part.mappingSubqueries(change))
    default: self
    }
  }
}

extension StoredValue {
  /// About how many bytes the value takes.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text): 40 + text.utf8.count
    case .malformedText(let bytes), .data(let bytes): 40 + bytes.count
    case .null, .bool, .integer, .double, .decimal, .date, .uuid, .objectID: 40
    }
  }
}
