/// A column of a query's rows: a property, or a number over the records of a group.
public enum QueryColumn: Sendable, Hashable {
  /// A property; of a query of groups one that it groups by.
  case property(PropertyPath)
  /// The number of records.
  case count
  /// The least value that is not null, or null.
  case minimum(PropertyPath)
  /// The greatest value that is not null, or null.
  case maximum(PropertyPath)
  /// The sum of the values that are not null, zero when there is none.
  case sum(PropertyPath)
  /// The mean of the values that are not null as a double, or null.
  case average(PropertyPath)

  /// The column as a query's text has it, which is also its name in a result.
  public var description: String {
    switch self {
    case .property(let path): path.description
    case .count: "@count"
    case .minimum(let path): "@min.\(path)"
    case .maximum(let path): "@max.\(path)"
    case .sum(let path): "@sum.\(path)"
    case .average(let path): "@avg.\(path)"
    }
  }
}

extension QueryColumn: CustomStringConvertible {}
