/// A condition on the records of one model, written with the model's properties.
///
/// ```swift
/// CoopResult.where { $0.goldenEggs > 100 && $0.player.name.contains("ika") }
/// ```
///
/// A value that no store can keep makes the query throw when it is executed.
public struct TypedCondition<Root: Model>: Sendable {
  let condition: Condition
  /// Why the condition cannot be executed.
  let error: StoreError?

  /// Makes a condition of one that names its properties by text.
  public init(_ condition: Condition) {
    self.condition = condition
    error = nil
  }

  init(_ make: () throws(StoreError) -> Condition) {
    do {
      condition = try make()
      error = nil
    } catch {
      condition = .never
      self.error = error
    }
  }

  private init(_ condition: Condition, _ error: StoreError?) {
    self.condition = condition
    self.error = error
  }

  /// Every record.
  public static var always: Self { Self(.always) }
  /// No record.
  public static var never: Self { Self(.never) }

  /// Both sides are fulfilled.
  public static func && (left: Self, right: Self) -> Self {
    Self(
      .all(left.condition.parts(ofAll: true) + right.condition.parts(ofAll: true)),
      left.error ?? right.error)
  }

  /// At least one side is fulfilled.
  public static func || (left: Self, right: Self) -> Self {
    Self(
      .any(left.condition.parts(ofAll: false) + right.condition.parts(ofAll: false)),
      left.error ?? right.error)
  }

  /// The condition is not fulfilled.
  public static prefix func ! (condition: Self) -> Self {
    Self(.not(condition.condition), condition.error)
  }

  /// The condition, to be executed.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  func get() throws(StoreError) -> Condition {
    if let error { throw error }
    return condition
  }
}

extension Condition {
  /// The parts of a list of the kind, so that long chains stay flat.
  fileprivate func parts(ofAll isAll: Bool) -> [Condition] {
    switch self {
    case .all(let parts) where isAll: parts
    case .any(let parts) where !isAll: parts
    default: [self]
    }
  }
}
