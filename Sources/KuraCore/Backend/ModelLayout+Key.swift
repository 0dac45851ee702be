extension ModelLayout {
  /// The values of a key as the key's columns hold them, most significant first.
  ///
  /// Text is read as the date, identifier or decimal that the column holds.
  ///
  /// - Throws: ``StoreError/Code/wrongKey`` when count or types are not the model's.
  package func checkKey(_ key: RecordKey) throws(StoreError) -> [StoredValue] {
    let values = key.values
    let expected =
      keyColumns.isEmpty ? (rowIDName.map { [$0] } ?? []) : keyColumns.map { columns[$0].name }
    guard !expected.isEmpty else {
      throw StoreError(.wrongKey, "\"\(name)\" has no key by which a record can be found")
    }
    guard values.count == expected.count else {
      throw StoreError(
        .wrongKey, "the key has the wrong number of values for \"\(name)\"",
        found: "\(values.count)",
        expected: "\(expected.count) (\(expected.joined(separator: ", ")))")
    }
    guard !keyColumns.isEmpty else {
      guard case .integer = values[0] else { throw wrongKey(expected[0], values[0], "integer") }
      return values
    }
    var checked: [StoredValue] = []
    for (index, value) in zip(keyColumns, values) {
      let column = columns[index]
      if !isKuraModel {
        switch value {
        case .null, .integer, .double, .text, .malformedText, .data: checked.append(value)
        case .bool(let value): checked.append(.integer(value ? 1 : 0))
        case .decimal, .date, .uuid, .objectID: throw wrongKey(column.name, value, "what is stored")
        }
      } else if !value.isNull, case .exact(let exact)? = column.type.literal(value),
        let storable = try? exact.coerced(to: column.type, isOptional: false)
      {
        checked.append(storable)
      } else {
        throw wrongKey(column.name, value, column.type.rawValue)
      }
    }
    return checked
  }

  private func wrongKey(_ column: String, _ value: StoredValue, _ expected: String) -> StoreError {
    StoreError(
      .wrongKey, "the value for key property \"\(column)\" of \"\(name)\" has the wrong type",
      found: value.typeName, expected: expected)
  }
}
