import KuraCore

/// The catalogue of one snapshot: its models, and what was prepared for callers' layouts.
final class Catalogue: Sendable {
  /// What changes with every change of the catalogue, so that an unchanged one is known by it.
  struct Counters: Sendable, Hashable {
    /// The number of changes so far.
    var change: UInt64 = 0
    /// The number of the next model.
    var model: UInt32 = 1
    /// The number of the next index.
    var index: UInt32 = 1
    /// Databases that nothing uses any more, to be removed when nobody can have them open.
    var dropped: [String] = []
  }

  let counters: Counters
  let models: [UInt32: CatalogueModel]
  private let ids: [String: UInt32]
  private let prepared = Monitor<[ObjectIdentifier: ModelBinding]>([:])
  private let whole = Monitor<[UInt32: ModelBinding]>([:])

  init(_ counters: Counters, _ models: [UInt32: CatalogueModel]) {
    self.counters = counters
    self.models = models
    ids = Dictionary(models.values.map { ($0.name, $0.id) }, uniquingKeysWith: { min($0, $1) })
  }

  /// The catalogue of a store without models.
  static let empty = Catalogue(Counters(), [:])

  /// The model of a name.
  func model(named name: String) -> CatalogueModel? { ids[name].flatMap { models[$0] } }

  /// The models in the order of their names.
  var orderedModels: [CatalogueModel] {
    models.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The names of all databases.
  var databases: [String] {
    models.values.flatMap { model in
      [model.database] + model.indexes.map { LMDBFormat.indexDatabase($0.id) }
    }
  }

  /// The most layouts that stay prepared; whoever makes more makes new ones all the time.
  private static let maximumPrepared = 256

  /// What fits a caller's layout to its model.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` and what ``ModelBinding`` throws.
  func binding(_ layout: ModelLayout) throws(StoreError) -> ModelBinding {
    let identity = ObjectIdentifier(layout)
    if let binding = prepared.withLock({ $0[identity] }) { return binding }
    guard let model = model(named: layout.name) else {
      let hint = closestMatch(layout.name, in: ids.keys.sorted())
      throw StoreError(
        .unknownModel, "there is no model \"\(layout.name.prefix(80))\" in the file",
        suggestion: hint.map { "did you mean \"\($0)\"?" })
    }
    // The binding keeps the layout alive, so that its identity stays its own.
    let binding = try ModelBinding(model, layout)
    prepared.withLock { prepared in
      if prepared.count >= Catalogue.maximumPrepared { prepared.removeAll() }
      prepared[identity] = binding
    }
    return binding
  }

  /// The binding of a model to all its properties.
  func whole(_ model: CatalogueModel) throws(StoreError) -> ModelBinding {
    if let binding = whole.withLock({ $0[model.id] }) { return binding }
    let binding = try ModelBinding(model)
    whole.withLock { $0[model.id] = binding }
    return binding
  }
}

extension Catalogue.Counters: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case change, model, index, dropped }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(change, forKey: .change)
    try container.encode(model, forKey: .model)
    try container.encode(index, forKey: .index)
    if !dropped.isEmpty { try container.encode(dropped, forKey: .dropped) }
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    change = try container.decode(UInt64.self, forKey: .change)
    model = try container.decode(UInt32.self, forKey: .model)
    index = try container.decode(UInt32.self, forKey: .index)
    dropped = try container.decodeIfPresent([String].self, forKey: .dropped) ?? []
  }
}
