/// A query whose records are values of a type.
///
/// ```swift
/// let query = CoopResult.where { $0.goldenEggs > 100 }
///   .sorted { $0.playedAt.descending }
///   .limit(10)
/// let results = try store.read { try $0.records(query) }
/// ```
public struct TypedQuery<Root: Model>: Sendable {
  private(set) var condition: TypedCondition<Root>
  private(set) var rest: Query

  /// Every record, in the order of the primary key.
  public init() { self.init(TypedCondition.always) }

  init(_ condition: TypedCondition<Root>) {
    self.condition = condition
    rest = Query(Root.modelName)
  }

  /// The records of a query that names the model and its properties by text.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` when the query is one of another model.
  public init(_ query: Query) throws(StoreError) {
    guard query.model == Root.modelName else {
      throw StoreError(
        .invalidQuery, "the query is one of another model", found: query.model,
        expected: Root.modelName)
    }
    condition = TypedCondition(query.condition)
    rest = query
  }

  /// The query as a value without a type.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value in it that no store can keep.
  public func query() throws(StoreError) -> Query {
    var query = rest
    query.condition = try condition.get()
    return query
  }

  private func changed(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }

  /// The records that fulfil a condition as well.
  public func `where`(_ make: (Root.Properties) -> TypedCondition<Root>) -> Self {
    let more = make(Root.modelProperties)
    return changed { $0.condition = $0.condition && more }
  }

  /// The records that fulfil a condition of the query language as well.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` with the place in the text.
  public func filter(_ text: String, _ arguments: QueryArguments = []) throws(StoreError) -> Self {
    let more = TypedCondition<Root>(try Condition(parsing: text, arguments: arguments))
    return changed { $0.condition = $0.condition && more }
  }

  /// The order, most significant first; later calls order what earlier ones leave equal.
  public func sorted(_ make: (Root.Properties) -> PropertyOrder<Root>) -> Self {
    let term = make(Root.modelProperties).term
    return changed { $0.rest.order.append(term) }
  }

  /// The order by a property; later calls order what earlier ones leave equal.
  public func sorted<Value>(by make: (Root.Properties) -> Property<Root, Value>) -> Self {
    let path = make(Root.modelProperties).path
    return changed { $0.rest.order.append(SortTerm(path)) }
  }

  /// Of the records with equal values of a property, and of those named in other calls, the first
  /// in key order.
  public func distinct<Value>(_ make: (Root.Properties) -> Property<Root, Value>) -> Self {
    let path = make(Root.modelProperties).path
    return changed { $0.rest.distinct = ($0.rest.distinct ?? []) + [path] }
  }

  /// At most so many records.
  public func limit(_ count: Int) -> Self { changed { $0.rest.limit = count } }

  /// Without the first records.
  public func offset(_ count: Int) -> Self { changed { $0.rest.offset = count } }
}

extension Model {
  /// All records, in the order of the primary key.
  public static var all: TypedQuery<Self> { TypedQuery() }

  /// The records that fulfil a condition.
  public static func `where`(_ make: (Properties) -> TypedCondition<Self>) -> TypedQuery<Self> {
    TypedQuery(make(modelProperties))
  }

  /// The records that fulfil a condition of the query language.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` with the place in the text.
  public static func filter(_ text: String, _ arguments: QueryArguments = [])
    throws(StoreError) -> TypedQuery<Self>
  {
    try all.filter(text, arguments)
  }
}
