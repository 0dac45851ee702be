/// Something in an SQLite file beside the models' tables: it has a name and the SQL that makes it.
public struct SQLObject: Sendable, Hashable {
  /// What it is.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A query with a name.
    case view
    /// What happens on changes of a table.
    case trigger
    /// A table of an SQLite module, such as full-text search.
    case virtualTable
    /// An index that a schema cannot describe, such as one of an expression.
    case index
  }

  /// What it is.
  public var kind: Kind
  /// The name.
  public var name: String
  /// The whole `CREATE` statement.
  public var sql: String

  /// Makes an object.
  public init(_ kind: Kind, _ name: String, sql: String) {
    self.kind = kind
    self.name = name
    self.sql = sql
  }
}

extension SQLObject.Kind {
  /// The words after `DROP`.
  package var sqlWords: String {
    switch self {
    case .view: "VIEW"
    case .trigger: "TRIGGER"
    case .virtualTable: "TABLE"
    case .index: "INDEX"
    }
  }
}

extension SQLObject: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case kind, name, sql }

  /// Decodes an object; unknown members are refused.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind),
      try container.decode(String.self, forKey: .name),
      sql: try container.decode(String.self, forKey: .sql))
  }
}
