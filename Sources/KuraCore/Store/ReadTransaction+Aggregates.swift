extension ReadTransaction {
  /// A number over the records of a query; properties by name.
  public enum Aggregate: Sendable, Hashable {
    /// The number of records.
    case count
    /// The least value that is not null, or null.
    case minimum(String)
    /// The greatest value that is not null, or null.
    case maximum(String)
    /// The sum of the values that are not null, zero of the property's type for an empty set.
    case sum(String)
    /// The mean of the values that are not null as a double, or null.
    case average(String)
  }

  /// The number of records of a query.
  ///
  /// - Throws: As ``records(_:)``.
  public func count(_ query: Query) throws(StoreError) -> Int {
    guard case .integer(let count)? = try aggregate(query, [.count]).first else { return 0 }
    return Int(clamping: count)
  }

  /// The least value of a property that is not null; null when there is none.
  ///
  /// - Throws: As ``records(_:)``.
  public func minimum(_ query: Query, of property: String) throws(StoreError) -> StoredValue {
    try aggregate(query, [.minimum(property)]).first ?? .null
  }

  /// The greatest value of a property that is not null; null when there is none.
  ///
  /// - Throws: As ``records(_:)``.
  public func maximum(_ query: Query, of property: String) throws(StoreError) -> StoredValue {
    try aggregate(query, [.maximum(property)]).first ?? .null
  }

  /// The sum of a property's values, of the property's type.
  ///
  /// - Throws: As ``records(_:)``; ``StoreError/Code/notStorable`` when integers overflow,
  ///   ``StoreError/Code/invalidQuery`` for a property that is no number.
  public func sum(_ query: Query, of property: String) throws(StoreError) -> StoredValue {
    try aggregate(query, [.sum(property)]).first ?? .null
  }

  /// The mean of a property's values; `nil` when there is none.
  ///
  /// - Throws: As ``sum(_:of:)``.
  public func average(_ query: Query, of property: String) throws(StoreError) -> Double? {
    guard case .double(let mean)? = try aggregate(query, [.average(property)]).first else {
      return nil
    }
    return mean
  }

  /// Several numbers over the records of a query at once, in the order asked for.
  ///
  /// - Throws: As ``sum(_:of:)``.
  public func aggregate(_ query: Query, _ aggregates: [Aggregate]) throws(StoreError)
    -> [StoredValue]
  {
    let bound = try bound(query)
    var functions: [AggregateRequest.Function] = []
    for aggregate in aggregates {
      do {
        functions.append(try aggregate.function(bound.layout))
      } catch {
        throw located(error)
      }
    }
    return try engineTransaction.aggregate(AggregateRequest(bound, functions))
  }
}

extension ReadTransaction.Aggregate {
  /// The function of a model's column.
  func function(_ layout: ModelLayout) throws(StoreError) -> AggregateRequest.Function {
    switch self {
    case .count: .count
    case .minimum(let name): .minimum(column: try layout.column(named: name))
    case .maximum(let name): .maximum(column: try layout.column(named: name))
    case .sum(let name): .sum(column: try layout.column(named: name))
    case .average(let name): .average(column: try layout.column(named: name))
    }
  }
}
