#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

// The usual keys without a buffer in between.

extension ModelKey where Self: PropertyValue & FixedWidthInteger {
  /// The key of one value.
  ///
  /// - Throws: ``StoreError/Code/notStorable`` beyond 64 bits with a sign.
  @inlinable public func recordKey() throws(StoreError) -> RecordKey {
    guard let value = Int64(exactly: self) else { throw PropertyValueError.integerTooLarge }
    return RecordKey(.integer(value))
  }
}

extension String {
  /// The key of one value.
  @inlinable public func recordKey() throws(StoreError) -> RecordKey { RecordKey(.text(self)) }
}

extension UUID {
  /// The key of one value.
  @inlinable public func recordKey() throws(StoreError) -> RecordKey { RecordKey(.uuid(self)) }
}

extension ObjectID {
  /// The key of one value.
  @inlinable public func recordKey() throws(StoreError) -> RecordKey { RecordKey(.objectID(self)) }
}
