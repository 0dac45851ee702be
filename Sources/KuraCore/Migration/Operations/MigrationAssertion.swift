/// What ``MigrationOperation/assert(_:)`` expects of a model's records.
public struct MigrationAssertion: Sendable, Hashable {
  /// One expectation.
  public enum Expectation: Sendable, Hashable {
    /// So many records fulfil a condition; `nil` counts all of them.
    case count(where: String?, atLeast: Int, atMost: Int?)
    /// Every record fulfils a condition.
    case every(String)
    /// No record has null in the property.
    case noNulls(String)
    /// No two records have equal values of the properties; nulls never clash.
    case unique([String])
    /// Each value of the reference is the key of a record.
    case noOrphans(String)
  }

  /// The model.
  public var model: String
  /// What is expected.
  public var expectation: Expectation

  /// Makes an assertion.
  public init(_ model: String, _ expectation: Expectation) {
    self.model = model
    self.expectation = expectation
  }
}

extension MigrationAssertion: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch expectation {
    case .count(let condition, let least, let most):
      let bounds =
        most.map { $0 == least ? "\(least)" : "\(least) to \($0)" } ?? "at least \(least)"
      return "\(model) has \(bounds) records\(condition.map { " with \($0)" } ?? "")"
    case .every(let condition): return "every \(model) fulfils \(condition)"
    case .noNulls(let property): return "\(model).\(property) has no null"
    case .unique(let properties):
      return "\(model) (\(properties.joined(separator: ", "))) has no value twice"
    case .noOrphans(let property): return "\(model).\(property) refers to records that are there"
    }
  }
}

extension MigrationAssertion: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case model, every, noNulls, unique, noOrphans, count, atLeast, atMost
    case condition = "where"
  }

  /// Encodes the model and one expectation.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    switch expectation {
    case .count(let condition, let least, let most):
      try container.encode(true, forKey: .count)
      try container.encodeIfPresent(condition, forKey: .condition)
      try container.encode(least, forKey: .atLeast)
      try container.encodeIfPresent(most, forKey: .atMost)
    case .every(let condition): try container.encode(condition, forKey: .every)
    case .noNulls(let property): try container.encode(property, forKey: .noNulls)
    case .unique(let properties): try container.encode(properties, forKey: .unique)
    case .noOrphans(let property): try container.encode(property, forKey: .noOrphans)
    }
  }

  /// Decodes an assertion; it has one expectation.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let model = try container.decode(String.self, forKey: .model)
    let kinds: [CodingKeys] = [.count, .every, .noNulls, .unique, .noOrphans]
    let given = kinds.filter { container.contains($0) }
    guard given.count == 1, let kind = given.first else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "an assertion has one of \(kinds.map(\.rawValue))"))
    }
    if kind != .count,
      let extra = [CodingKeys.condition, .atLeast, .atMost].first(where: { container.contains($0) })
    {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\"\(extra.rawValue)\" belongs to \"count\""))
    }
    let expectation: Expectation
    switch kind {
    case .every: expectation = .every(try container.decode(String.self, forKey: .every))
    case .noNulls: expectation = .noNulls(try container.decode(String.self, forKey: .noNulls))
    case .unique: expectation = .unique(try container.decode([String].self, forKey: .unique))
    case .noOrphans:
      expectation = .noOrphans(try container.decode(String.self, forKey: .noOrphans))
    default:
      guard try container.decode(Bool.self, forKey: .count) else {
        throw DecodingError.dataCorruptedError(
          forKey: .count, in: container, debugDescription: "count is true, or left out")
      }
      expectation = .count(
        where: try container.decodeIfPresent(String.self, forKey: .condition),
        atLeast: try container.decodeIfPresent(Int.self, forKey: .atLeast) ?? 0,
        atMost: try container.decodeIfPresent(Int.self, forKey: .atMost))
    }
    self.init(model, expectation)
  }
}
