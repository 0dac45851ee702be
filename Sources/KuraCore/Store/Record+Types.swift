extension Record {
  /// The value of a property as a Swift type.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty``; ``StoreError/Code/wrongType`` when the value is
  ///   null, of another type or out of the type's range.
  public func value<T: PropertyValue>(_ name: String, as type: T.Type = T.self)
    throws(StoreError) -> T
  {
    guard let value = try optionalValue(name, as: type) else {
      throw mismatch(name, .null, "\(type)")
    }
    return value
  }

  /// The value of a property as a Swift type; `nil` for null.
  ///
  /// - Throws: ``StoreError/Code/unknownProperty``; ``StoreError/Code/wrongType`` when the value is
  ///   of another type or out of the type's range.
  public func optionalValue<T: PropertyValue>(_ name: String, as type: T.Type = T.self)
    throws(StoreError) -> T?
  {
    let stored = values[try layout.column(named: name)]
    guard !stored.isNull else { return nil }
    guard let value = T(storedValue: stored) else { throw mismatch(name, stored, "\(type)") }
    return value
  }

  private func mismatch(_ name: String, _ value: StoredValue, _ expected: String) -> StoreError {
    StoreError(
      .wrongType, "the value of \"\(model)\".\"\(name)\" cannot be read as the type asked for",
      found: value.typeName, expected: expected)
  }
}
