/// The primary key of a model as a Swift type.
///
/// Every ``PropertyValue`` that is not optional is a key of one property; `@Model` makes a type for
/// keys of several.
public protocol ModelKey: Hashable, Sendable {
  /// The values as the store keeps them, most significant first.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` for a value that no store can keep.
  func recordKey() throws(StoreError) -> RecordKey

  /// Reads a key of stored values; `nil` when they are of other types.
  init?(recordKey: RecordKey)
}

extension ModelKey where Self: PropertyValue {
  /// The key of one value.
  public func recordKey() throws(StoreError) -> RecordKey { RecordKey(try storedValue()) }

  /// Reads a key of one value.
  public init?(recordKey: RecordKey) {
    guard recordKey.rest.isEmpty, let key = Self(storedValue: recordKey.first) else { return nil }
    self = key
  }
}
