import CSQLite
import KuraCore

/// Binds named and numbered parameters of raw SQL.
enum SQLParameters {
  /// Binds all parameters of a statement.
  ///
  /// - Throws: ``StoreError/Code/invalidSQL`` when one is missing or superfluous.
  static func bind(_ parameters: [String: StoredValue], to statement: SQLiteStatement)
    throws(StoreError)
  {
    var unused = Set(parameters.keys)
    let count = Int(sqlite3_bind_parameter_count(statement.handle))
    for index in stride(from: 1, through: count, by: 1) {
      let name = sqlite3_bind_parameter_name(statement.handle, Int32(index)).map {
        String(cString: $0)
      }
      let bare = name.map { String($0.dropFirst()) } ?? String(index)
      let candidates = [bare, name ?? bare, String(index)]
      guard let key = candidates.first(where: { parameters[$0] != nil }),
        let value = parameters[key]
      else {
        // A gap in numbered parameters (`?3` alone) has parameters 1 and 2 without a name.
        if name == nil, count > 1, parameters.isEmpty == false { continue }
        throw StoreError(
          .invalidSQL, "the parameter \(name ?? "?\(index)") has no value",
          suggestion: "give it a value by its name")
      }
      unused.remove(key)
      try statement.bind(value, at: index)
    }
    guard let extra = unused.min() else { return }
    throw StoreError(
      .invalidSQL, "the statement has no parameter \"\(extra)\"",
      suggestion: "leave the value out or correct the name")
  }
}
