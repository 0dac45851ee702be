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
    /// Of a column of any type the sum of its numbers. Infinities of both signs have no sum: null.
    case sum(column: Int)
    /// The mean of the values that a sum adds as a double, or null when there is none.
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

  /// The column of integers that the request adds over all records, when that is all it asks for.
  package var wholeSumColumn: Int? {
    var columns: Set<Int> = []
    for function in functions {
      switch function {
      case .sum(let column), .average(let column): columns.insert(column)
      case .count, .minimum, .maximum: return nil
      }
    }
    guard columns.count == 1, let column = columns.first,
      query.layout.columns.indices.contains(column), query.layout.columns[column].type == .integer,
      query.condition.simplified == .always, query.limit == nil, query.offset <= 0,
      query.distinct == nil
    else { return nil }
    return column
  }

  /// Throws when a function is of no column, or adds what is no number.
  package func check() throws(StoreError) {
    for function in functions {
      let (column, needsNumber): (Int, Bool)
      switch function {
      case .count: continue
      case .minimum(let number), .maximum(let number): (column, needsNumber) = (number, false)
      case .sum(let number), .average(let number): (column, needsNumber) = (number, true)
      }
      guard query.rowLayout.columns.indices.contains(column) else {
        throw StoreError(.unknownProperty, "there is no such property")
      }
      guard needsNumber else { continue }
      let (name, type) = (
        query.rowLayout.columns[column].name, query.rowLayout.columns[column].type
      )
      switch type {
      case .integer, .double, .decimal, .any: continue
      case .bool, .date, .text, .data, .uuid, .objectID, .json:
        throw StoreError(
          .invalidQuery, "\"\(name)\" is no number", found: type.rawValue,
          expected: "integer, double or decimal")
      }
    }
  }
}
