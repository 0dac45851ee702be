/// Carries out operations inside one write transaction.
///
/// What an engine can do by changing descriptions is left to it; everything else streams the records
/// of a model into a replacement, one by one, and puts that in the model's place.
final class OperationExecutor {
  let transaction: any EngineWriteTransaction
  let capabilities: Capabilities
  let monitor: MigrationMonitor
  let path: String?
  /// The migration that runs.
  var migration: Migration
  /// Opens what a code step sees.
  let code: MigrationCodeRunner

  /// What was done, for the report and the history.
  private(set) var work = MigrationWork()
  /// The models whose records or keys changed, by their names now.
  private(set) var touched: Set<String> = []

  init(
    _ transaction: any EngineWriteTransaction, _ capabilities: Capabilities,
    _ monitor: MigrationMonitor, _ migration: Migration, code: MigrationCodeRunner, path: String?
  ) {
    self.transaction = transaction
    self.capabilities = capabilities
    self.monitor = monitor
    self.migration = migration
    self.code = code
    self.path = path
  }

  /// Counts what was done.
  func note(_ body: (inout MigrationWork) -> Void) { body(&work) }

  /// Notes that the records of a model changed.
  func touch(_ model: String) { touched.insert(model) }

  /// Carries out one operation.
  ///
  /// - Throws: What the operation or the engine refuses, with the migration and the operation.
  func execute(_ operation: MigrationOperation, at index: Int, from: Schema, to: Schema)
    throws(StoreError)
  {
    try monitor.begin(operation, of: migration)
    do {
      try execute(operation, from: from, to: to)
    } catch {
      guard error.code != .cancelled, error.code != .timedOut else { throw error }
      var named = migration.located(error, operation: index).at(path)
      if !named.message.contains(operation.description) {
        named.message =
          migration.located(
            error.prefixed(operation.description), operation: index
          ).message
      }
      throw named
    }
    if case .renameModel(let old, let new) = operation, touched.remove(old) != nil { touch(new) }
    work.operations += 1
  }

  private func execute(_ operation: MigrationOperation, from: Schema, to: Schema)
    throws(StoreError)
  {
    if case .extractModel(let model, let properties, let target, _) = operation {
      try extract(properties, of: model, into: target, from: from, to: to)
    }
    if let rewrite = try ModelRewrite.of(operation, from: from, to: to) {
      if case .changePrimaryKey = operation { return try rekey(rewrite, from: from, to: to) }
      return try execute(rewrite)
    }
    switch operation {
    case .createModel(let model):
      if let model = to.model(named: model.name) { try transaction.apply(.createModel(model)) }
    case .renameModel(let old, let new): try renameModel(old, to: new, from: from)
    case .removeModel(let name):
      try transaction.apply(.dropModel(name))
      touched.remove(name)
    case .addProperty(let model, let property, _):
      if let added = to.property(property.name, of: model) {
        try transaction.apply(.addProperty(model: model, added))
      }
    case .renameProperty(let model, let old, let new):
      try renameProperty(old, to: new, of: model, from: from, to: to)
    case .removeProperty(let model, let property):
      try inPlace(model, from: from, to: to) { () throws(StoreError) in
        try transaction.apply(.removeProperty(model: model, property))
      }
    case .changeProperty(let model, let name, _):
      try changeDescription(of: name, model, from: from, to: to)
    case .addReference(let model, let property, let reference, let policy):
      try settleOrphans(of: property, in: model, reference, policy, from)
      try changeDescription(of: property, model, from: from, to: to)
    case .removeReference(let model, let property):
      try changeDescription(of: property, model, from: from, to: to)
    case .addIndex(let model, let index): try transaction.apply(.addIndex(model: model, index))
    case .removeIndex(let model, let index):
      try transaction.apply(.removeIndex(model: model, index))
    default: try executeData(operation, schema: to)
    }
  }

  // MARK: Descriptions

  private func renameModel(_ old: String, to new: String, from: Schema) throws(StoreError) {
    try transaction.apply(.renameModel(from: old, to: new))
    for keeper in from.models where keeper.listOwner == old {
      guard let list = keeper.list,
        keeper.name == ListDescription.modelName(old, list.property)
      else { continue }
      try transaction.apply(
        .renameModel(from: keeper.name, to: ListDescription.modelName(new, list.property)))
    }
  }

  private func renameProperty(
    _ old: String, to new: String, of model: String, from: Schema, to: Schema
  ) throws(StoreError) {
    guard from.property(old, of: model) == nil,
      let keeper = from.models.first(where: { $0.listOwner == model && $0.list?.property == old })
    else {
      return try transaction.apply(.renameProperty(model: model, from: old, to: new))
    }
    var name = keeper.name
    if keeper.name == ListDescription.modelName(model, old) {
      name = ListDescription.modelName(model, new)
      try transaction.apply(.renameModel(from: keeper.name, to: name))
    }
    try transaction.apply(.setList(model: name, to.model(named: name)?.list))
  }

  /// Changes default, requiredness or reference, and the unique index of a property.
  private func changeDescription(of name: String, _ model: String, from: Schema, to: Schema)
    throws(StoreError)
  {
    guard let before = from.property(name, of: model), let after = to.property(name, of: model)
    else { return }
    if before != after {
      try inPlace(model, from: from, to: to) { () throws(StoreError) in
        try transaction.apply(.changeProperty(model: model, after))
      }
    }
    let index = IndexDescription([name], isUnique: true)
    let had = from.model(named: model)?.indexes.contains(index) ?? false
    let has = to.model(named: model)?.indexes.contains(index) ?? false
    if had, !has { try transaction.apply(.removeIndex(model: model, index)) }
    if has, !had { try transaction.apply(.addIndex(model: model, index)) }
  }

  /// Lets the engine change a model, and compares the records before and after where it writes them
  /// again for that.
  private func inPlace(
    _ model: String, from: Schema, to: Schema, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !capabilities.contains(.constantTimePropertyChange),
      let old = from.model(named: model), let new = to.model(named: model)
    else { return try body() }
    let shared = new.properties.map(\.name).filter { old.property(named: $0) != nil }
    let before = try digest(old, of: shared)
    try body()
    let after = try digest(new, of: shared)
    try conserved(before, after, of: model, shared)
    work.records += before.records
    touch(model)
  }
}

extension StoreError {
  /// The error with words before its message.
  func prefixed(_ words: String) -> StoreError {
    var copy = self
    copy.message = "\(words): \(message)"
    return copy
  }
}
