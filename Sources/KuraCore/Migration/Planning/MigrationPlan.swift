/// What would be done to a store now to give it the expected schema.
public struct MigrationPlan: Sendable, Hashable {
  /// What an operation costs.
  public enum Work: String, Sendable, Hashable, Codable {
    /// Only descriptions change, whatever the number of records.
    case description
    /// Records are read.
    case scan
    /// Every record of the model is written again.
    case rewrite
    /// Some records are written, or what happens is said by SQL or code.
    case data
  }

  /// One operation of the plan.
  public struct Step: Sendable, Hashable {
    /// The migration's identity.
    public var migration: String
    /// The operation.
    public var operation: MigrationOperation
    /// The model whose records are read or written, by its name at that moment.
    public var model: String?
    /// What it costs.
    public var work: Work
    /// What is lost, in a few words.
    public var loss: String?
    /// How many records the model had when the plan was made; `nil` when they were not counted.
    public var records: Int?
  }

  /// The version that the store has.
  public var from: Int
  /// The version that it gets.
  public var to: Int
  /// The fingerprint of the schema that the store has.
  public var fromFingerprint: String
  /// The fingerprint of the schema that it gets.
  public var toFingerprint: String
  /// The migrations in their order, the inferred one last.
  public var migrations: [Migration]
  /// The identity of the migration that was inferred, if one was.
  public var inferred: String?
  /// The operations in their order.
  public var steps: [Step]
  /// How the schemas differ.
  public var difference: SchemaDiff

  /// What is lost, a sentence each.
  public var losses: [String] { steps.compactMap(\.loss) }
  /// Whether records of a model are written again.
  public var rewritesRecords: Bool { steps.contains { $0.work == .rewrite } }
}

extension MigrationPlan {
  /// The plan with the numbers of records that its steps are about, as far as they are known before.
  func counting(_ counts: [String: Int64]) -> MigrationPlan {
    var copy = self
    var known = counts
    for index in copy.steps.indices {
      copy.steps[index].records = copy.steps[index].model.flatMap { known[$0] }.map {
        Int(clamping: $0)
      }
      // Names follow renames; how many records a deletion or an extraction leaves is not known.
      switch copy.steps[index].operation {
      case .renameModel(let old, let new): known[new] = known.removeValue(forKey: old)
      case .createModel(let model): known[model.name] = 0
      case .insert(let model, let rows): known[model] = known[model].map { $0 + Int64(rows.count) }
      case .delete(let model, _, _, _), .removeModel(let model): known[model] = nil
      case .code(_, let changes): for model in changes { known[model] = nil }
      default: break
      }
    }
    return copy
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// One line for each operation.
  public var description: String {
    let lines = steps.map { step in
      "  \(step.operation)"
        + (step.work == .description ? "" : " [\(step.work.rawValue)")
        + (step.work == .description
          ? "" : "\(step.records.map { ", \($0) records" } ?? "")]")
        + (step.loss.map { "; loses \($0)" } ?? "")
    }
    return (["version \(from) to \(to)"] + lines).joined(separator: "\n")
  }
}

extension MigrationPlan: Encodable {
  private enum CodingKeys: String, CodingKey {
    case from, to, fromFingerprint, toFingerprint, migrations, steps, losses, difference
  }

  private struct Link: Encodable {
    var id: String
    var from: Int
    var to: Int
    var checksum: String
    var inferred: Bool
  }

  /// Encodes the plan for people and scripts; it is not read back.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encode(fromFingerprint, forKey: .fromFingerprint)
    try container.encode(toFingerprint, forKey: .toFingerprint)
    try container.encode(
      migrations.map {
        Link(
          id: $0.id, from: $0.from, to: $0.to, checksum: $0.checksum, inferred: $0.id == inferred)
      }, forKey: .migrations)
    try container.encode(steps, forKey: .steps)
    try container.encode(losses, forKey: .losses)
    try container.encode(difference.changes.map(\.description), forKey: .difference)
  }

  /// The JSON of the plan.
  public var json: String { Schema.json(self) }
}

extension MigrationPlan.Step: Encodable {
  private enum CodingKeys: String, CodingKey {
    case migration, operation, description, model, work, loss, records
  }

  /// Encodes the step with a line for people.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(migration, forKey: .migration)
    try container.encode(operation, forKey: .operation)
    try container.encode(operation.description, forKey: .description)
    try container.encodeIfPresent(model, forKey: .model)
    try container.encode(work, forKey: .work)
    try container.encodeIfPresent(loss, forKey: .loss)
    try container.encodeIfPresent(records, forKey: .records)
  }
}
