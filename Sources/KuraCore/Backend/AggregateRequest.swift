/// Numbers over the records of a query.
public struct AggregateRequest: Sendable {
  /// One number.
  public enum Function: Sendable, Hashable {
    /// The number of records: an integer, 0 for an empty set.
    case count
    /// The least value that is not null, or null.
    case minimum(column: Int)
    /// The greatest value that is not null, or null.
    case maximum(column: Int)
    /// The sum of the values that are not null, 0 for an empty set; of integers an integer, and an
    /// error when it is beyond 64 bits.
    ///
    /// Of a column of any type the sum of its numbers.
    case sum(column: Int)
    /// The mean of the values that a sum adds as a double, or null.
    case average(column: Int)
  }

  /// The records.
  ///
  /// Order is ignored; limit and offset count.
  public var query: BoundQuery
  /// The numbers wanted, in the order of the result.
  public var functions: [Function]

  /// Makes a request.
  public init(_ query: BoundQuery, _ functions: [Function]) {
    self.query = query
    self.functions = functions
  }
}
