import CSQLite
import KuraCore

/// Binds named and numbered parameters of raw SQL.
enum SQLParameters {
  /// Binds all parameters of a statement.
  ///
  /// - Throws: ``StoreError/Code/invalidSQL`` when one is missing or superfluous.
  static func bindAll(_ parameters: [String: StoredValue], to statement: SQLiteStatement)
    throws(StoreError)
  {
    try refuse(Set(parameters.keys).subtracting(try bind(parameters, to: statement)))
  }

  /// Binds the parameters that a statement has and gives the names that were used.
  ///
  /// - Throws: ``StoreError/Code/invalidSQL`` when one is missing.
  static func bind(_ parameters: [String: StoredValue], to statement: SQLiteStatement)
    throws(StoreError) -> Set<String>
  {
    var used: Set<String> = []
    let count = unsafe Int(sqlite3_bind_parameter_count(statement.handle))
    let highest = highestNumber(statement, count)
    for index in stride(from: 1, through: count, by: 1) {
      let name = unsafe sqlite3_bind_parameter_name(statement.handle, Int32(index)).map {
        unsafe String(cString: $0)
      }
      let bare = name.map { String($0.dropFirst()) } ?? String(index)
      let candidates = [bare, name ?? bare, String(index)]
      guard let key = candidates.first(where: { parameters[$0] != nil }),
        let value = parameters[key]
      else {
        // `?3` alone leaves parameters 1 and 2 without a name and without a use.
        if name == nil, index < highest { continue }
        throw StoreError(
          .invalidSQL, "the parameter \(name ?? "?\(index)") has no value",
          suggestion: "give it a value by its name")
      }
      used.insert(key)
      try statement.bind(value, at: index)
    }
    return used
  }

  /// The greatest number that the text itself gives to a parameter, as in `?3`.
  private static func highestNumber(_ statement: SQLiteStatement, _ count: Int) -> Int {
    for index in stride(from: count, to: 0, by: -1) {
      guard let name = unsafe sqlite3_bind_parameter_name(statement.handle, Int32(clamping: index)),
        unsafe name.pointee == UInt8(ascii: "?")
      else { continue }
      return index
    }
    return 0
  }

  /// Throws when there are names that no statement used.
  static func refuse(_ unused: Set<String>) throws(StoreError) {
    guard let extra = unused.min() else { return }
    throw StoreError(
      .invalidSQL, "the statement has no parameter \"\(extra)\"",
      suggestion: "leave the value out or correct the name")
  }
}
