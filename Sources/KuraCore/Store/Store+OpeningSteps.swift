extension Store {
  /// What is at a configuration's location.
  enum Finding {
    case missing
    case empty
    /// A database, its comparison, and what else it says of itself.
    case schema(SchemaComparison, Found)

    /// The error of a store that is not there and must not be made.
    func absence(_ path: String?) -> StoreError {
      if case .missing = self {
        if let path, let link = FileErrors.danglingLink(path) { return link }
        return StoreError(
          .missing, "there is no such store", path: path,
          suggestion: "check the path, or allow to make the store")
      }
      return StoreError(
        .empty, "the file holds no store yet", path: path,
        suggestion: "check the path, or allow to make the store")
    }
  }

  /// Looks at the location with an engine that changes nothing.
  ///
  /// - Parameter counting: Whether the records of an older store are counted.
  static func look(_ configuration: StoreConfiguration, counting: Bool = false) throws(StoreError)
    -> Finding
  {
    try whileSomebodyWrites(configuration) { () throws(StoreError) in
      try lookOnce(configuration, counting)
    }
  }

  /// Repeats what only reads until nobody writes meanwhile, at most for the busy timeout, as when
  /// several open or make the store at once.
  private static func whileSomebodyWrites<R>(
    _ configuration: StoreConfiguration, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    let deadline = ContinuousClock.now + configuration.busyTimeout
    while true {
      do {
        return try body()
      } catch {
        guard error.code == .locked, ContinuousClock.now < deadline else { throw error }
      }
    }
  }

  private static func lookOnce(_ configuration: StoreConfiguration, _ counting: Bool)
    throws(StoreError) -> Finding
  {
    guard let path = configuration.location.path else { return .missing }
    switch try FormatRecognition.look(at: path, backends: configuration.backends) {
    case .missing: return .missing
    case .empty: return .empty
    case .format: break
    }
    let engine = try EngineOpener.open(
      configuration.location, format: configuration.format,
      options: configuration.options(.readOnly), backends: configuration.backends)
    return try closingOnError(engine) { () throws(StoreError) in
      let stored = try storedSchema(engine)
      let comparison = SchemaComparison(
        stored, expected: configuration.schema, format: engine.format)
      let history = try history(engine, stored)
      let capabilities = engine.capabilities
      var counts: [String: Int64] = [:]
      if counting, case .older(let schema, _) = comparison {
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        for model in schema.models {
          counts[model.name] = try MigrationRunner.count(model, transaction)
        }
      }
      try engine.close()
      if case .empty = comparison { return .empty }
      return .schema(
        comparison,
        Found(
          schema: stored.kuraSchema ?? configuration.schema, history: history,
          capabilities: capabilities, counts: counts))
    }
  }

  static func openForReading(_ configuration: StoreConfiguration, schema: Schema)
    throws(StoreError) -> Store
  {
    try whileSomebodyWrites(configuration) { () throws(StoreError) in
      try openForReadingOnce(configuration, schema: schema)
    }
  }

  private static func openForReadingOnce(_ configuration: StoreConfiguration, schema: Schema)
    throws(StoreError) -> Store
  {
    let engine = try EngineOpener.open(
      configuration.location, format: configuration.format,
      options: configuration.options(.readOnly), backends: configuration.backends)
    return try closingOnError(engine) { () throws(StoreError) in
      // Another process may have changed the schema since it was looked at.
      let now = try storedSchema(engine).kuraSchema
      guard let now, now.fingerprint == schema.fingerprint else {
        throw StoreError(
          .replaced, "the store's schema changed while it was opened",
          path: configuration.location.path, suggestion: "open it again")
      }
      return Store(engine, configuration, schema: schema, isReadOnly: true)
    }
  }

  static func openForWriting(_ configuration: StoreConfiguration) throws(StoreError) -> Store {
    let mayCreate = configuration.creation != .never
    let engine = try EngineOpener.open(
      configuration.location, format: configuration.format,
      options: configuration.options(.readWrite(create: mayCreate)),
      backends: configuration.backends)
    return try closingOnError(engine) { () throws(StoreError) in
      let comparison = SchemaComparison(
        try storedSchema(engine), expected: configuration.schema, format: engine.format)
      if case .current = comparison, configuration.creation != .mustBeNew {
      } else {
        try makeCurrent(engine, configuration)
      }
      return Store(engine, configuration, schema: configuration.schema, isReadOnly: false)
    }
  }

  /// Brings an empty store, or one that may be erased, to the expected schema in one transaction.
  ///
  /// The comparison is made again inside the write transaction: of two processes that make the same
  /// store at once, the second one finds it made.
  private static func makeCurrent(_ engine: any StorageEngine, _ configuration: StoreConfiguration)
    throws(StoreError)
  {
    let transaction = try engine.beginWrite(timeout: nil)
    defer { transaction.end() }
    let stored = try transaction.storedSchema()
    let comparison = SchemaComparison(
      stored, expected: configuration.schema, format: engine.format)
    let path = configuration.location.path
    switch comparison {
    case .empty:
      guard configuration.creation != .never else { throw Finding.empty.absence(path) }
    case .older(let old, _) where configuration.mayErase,
      .drifted(let old, _) where configuration.mayErase:
      for model in old.models { try transaction.apply(.dropModel(model.name)) }
    case .current where configuration.creation == .mustBeNew: throw targetExists(path)
    case .current: return
    case .older, .drifted, .newer, .foreign:
      if let error = comparison.error(expected: configuration.schema, path: path) { throw error }
    }
    for model in configuration.schema.models { try transaction.apply(.createModel(model)) }
    try transaction.setSchema(configuration.schema)
    try transaction.commit()
  }

  private static func storedSchema(_ engine: any StorageEngine) throws(StoreError) -> StoredSchema {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try transaction.storedSchema()
  }

  private static func history(_ engine: any StorageEngine, _ stored: StoredSchema)
    throws(StoreError) -> MigrationHistory
  {
    guard stored.kuraSchema != nil else { return try MigrationHistory([]) }
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try MigrationHistory(try transaction.history())
  }

  static func targetExists(_ path: String?) -> StoreError {
    StoreError(
      .targetExists, "there is a store already", path: path,
      suggestion: "use another path, or open the store that is there")
  }

  /// Runs a step of opening; an error closes the engine before it comes out.
  static func closingOnError<R>(
    _ engine: any StorageEngine, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    do {
      return try body()
    } catch {
      // The first error is the one that helps.
      try? engine.close()
      throw error
    }
  }
}

extension StoreConfiguration {
  var mayErase: Bool { whenMigrationIsNeeded == .eraseData && access == .readWrite }
}
