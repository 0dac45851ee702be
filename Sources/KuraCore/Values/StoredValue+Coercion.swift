#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoredValue {
  /// The value as a property of a type stores it.
  ///
  /// A type takes its own values. A double also takes integers that it can hold exactly, and JSON
  /// takes text. Everything else is an error, so that nothing is changed on the way.
  ///
  /// - Throws: ``StoreError/Code/wrongType``, ``StoreError/Code/notStorable``,
  ///   ``StoreError/Code/missingValue``.
  public func coerced(to type: ValueType, isOptional: Bool) throws(StoreError) -> StoredValue {
    switch (type, self) {
    case (_, .null):
      guard isOptional else {
        throw StoreError(.missingValue, "a required property has no value")
      }
      return self
    case (_, .malformedText):
      throw StoreError(
        .notStorable, "text must be valid UTF-8", suggestion: "store the bytes as data")
    case (_, .double(let value)) where value.isNaN:
      throw StoreError(
        .notStorable, "not-a-number cannot be stored",
        suggestion: "use an optional property and null")
    case (_, .decimal(let value)) where value.isNaN:
      throw StoreError(
        .notStorable, "not-a-number cannot be stored",
        suggestion: "use an optional property and null")
    case (.bool, .bool), (.integer, .integer), (.double, .double), (.decimal, .decimal),
      (.date, .date), (.text, .text), (.data, .data), (.uuid, .uuid), (.objectID, .objectID),
      (.json, .text):
      return self
    case (.any, .integer), (.any, .double), (.any, .text), (.any, .data):
      return self
    case (.double, .integer(let value)):
      let double = Double(value)
      guard Int64(exactly: double) == value else {
        throw StoreError(.notStorable, "the integer is too large to be exact as a double")
      }
      return .double(double)
    default:
      throw StoreError(
        .wrongType, "the value is not of the property's type", found: typeName,
        expected: type.rawValue)
    }
  }
}
