/// Which records of one model, in which order, and how many of them.
///
/// Ties of the order are broken by the primary key, so that a query has one answer.
public struct Query: Sendable, Hashable {
  /// The model's name.
  public var model: String
  /// What a record must fulfil.
  public var condition: Condition
  /// The order, most significant first; empty means the order of the primary key.
  public var order: [SortTerm]
  /// The properties whose equal combinations count once; `nil` keeps every record.
  public var distinct: [PropertyPath]?
  /// The most records to give; `nil` is no limit.
  public var limit: Int?
  /// The number of records to skip first.
  public var offset: Int
  /// The properties whose equal combinations make one row; `nil` makes a row of each record.
  public var groups: [PropertyPath]?
  /// What a group must fulfil: a condition on what is grouped by and on numbers over the group.
  public var having: Condition?
  /// The columns of the rows; `nil` is all properties, or the groups and their counts.
  ///
  /// Numbers without groups are about all records. A query with groups or columns has rows, see
  /// ``ReadTransaction/rows(_:)``, and no records.
  public var columns: [QueryColumn]?

  /// Makes a query.
  public init(
    _ model: String, where condition: Condition = .always, order: [SortTerm] = [],
    distinct: [PropertyPath]? = nil, limit: Int? = nil, offset: Int = 0,
    groups: [PropertyPath]? = nil, having: Condition? = nil, columns: [QueryColumn]? = nil
  ) {
    self.model = model
    self.condition = condition
    self.order = order
    self.distinct = distinct
    self.limit = limit
    self.offset = offset
    self.groups = groups
    self.having = having
    self.columns = columns
  }
}

/// One part of an order.
public struct SortTerm: Sendable, Hashable {
  /// The property.
  public var property: PropertyPath
  /// Whether greater values come first; null orders before every value, so it comes last then.
  public var isDescending: Bool

  /// Makes a term.
  public init(_ property: PropertyPath, isDescending: Bool = false) {
    self.property = property
    self.isDescending = isDescending
  }
}

/// The name of a property, or of a property reached through references, such as `player.name`.
public struct PropertyPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible
{
  /// The names from the query's model on.
  public var names: [String]
  /// Where a query's text names the property, for errors; no part of the path's identity.
  package var location: QueryLocation?
  /// The column that the path was found to name; no part of the path's identity either.
  var boundColumn: Int?

  /// Makes a path of names.
  public init(_ names: [String]) { self.names = names }

  /// Makes a path of one name; dots are part of the name.
  public init(stringLiteral name: String) { self.names = [name] }

  /// The names joined by dots.
  public var description: String { names.joined(separator: ".") }

  /// Whether two paths have the same names.
  public static func == (left: PropertyPath, right: PropertyPath) -> Bool {
    left.names == right.names
  }

  /// Hashes the names.
  public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
