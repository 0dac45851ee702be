import SwiftSyntax

/// The members of a conformance to `Model`, as text.
struct ModelText {
  private let shape: ModelShape
  private let type: String
  private let access: String

  init(_ shape: ModelShape, type: String, access: String) {
    self.shape = shape
    self.type = type
    self.access = access
  }

  var members: [String] {
    [
      key, properties,
      "\(access)nonisolated static let modelName = \(quoted(shape.name))",
      description, lists, renames, modelKey, reading, writing,
    ].compactMap { $0 }
  }

  // MARK: Key

  private var key: String {
    guard shape.key.count > 1 else { return "\(access)typealias Key = \(shape.key[0].typeText)" }
    let parts = shape.key
    let parameters = parts.map { "\($0.identifier): \($0.typeText)" }.joined(separator: ", ")
    let values = parts.map { "try \($0.identifier).storedValue()" }
    return """
      \(access)struct Key: ModelKey {
      \(lines(parts.map { "\(access)let \($0.identifier): \($0.typeText)" }))
      \(access)nonisolated init(\(parameters)) {
      \(lines(parts.map { "self.\($0.identifier) = \($0.identifier)" }))
      }
      \(access)nonisolated func recordKey() throws(StoreError) -> RecordKey {
      RecordKey(first: \(values[0]), rest: [\(values.dropFirst().joined(separator: ", "))])
      }
      \(access)nonisolated init?(recordKey: RecordKey) {
      let values = recordKey.values
      guard values.count == \(parts.count)\(parts.enumerated().map {
        ", let \($1.identifier) = \($1.typeText)(storedValue: values[\($0)])"
      }.joined()) else { return nil }
      \(lines(parts.map { "self.\($0.identifier) = \($0.identifier)" }))
      }
      }
      """
  }

  private var modelKey: String {
    guard shape.key.count > 1 else {
      return "\(access)nonisolated var modelKey: Key { \(shape.key[0].identifier) }"
    }
    let parts = shape.key.map { "\($0.identifier): \($0.identifier)" }.joined(separator: ", ")
    return "\(access)nonisolated var modelKey: Key { Key(\(parts)) }"
  }

  // MARK: Description

  private var properties: String {
    """
    \(access)struct Properties: Sendable {
    \(lines(shape.properties.map {
      "\(access)let \($0.identifier) = \(type).modelProperty(\(quoted($0.name)), (\($0.typeText)).self)"
    }))
    nonisolated init() {}
    }
    \(access)nonisolated static let modelProperties = Properties()
    """
  }

  private var description: String {
    let keys = shape.key.map { quoted($0.name) }.joined(separator: ", ")
    let indexes = shape.indexes.map { index in
      "IndexDescription([\(index.names.map(quoted).joined(separator: ", "))]"
        + "\(index.isUnique ? ", isUnique: true" : ""))"
    }
    // One statement for each: the compiler would weigh a list's elements against each other.
    return """
      \(access)nonisolated static let modelDescription: ModelDescription = {
      var properties: [PropertyDescription] = []
      \(lines(shape.columns.map { "properties.append(.of(\(self.arguments($0))))" }))
      return ModelDescription(modelName, primaryKey: [\(keys)], properties: properties, \
      indexes: [\(indexes.joined(separator: ", "))])
      }()
      """
  }

  private func arguments(_ property: ModelProperty) -> String {
    var arguments = "\(quoted(property.name)), (\(property.typeText)).self"
    if let value = property.defaultValue, !shape.key.contains(where: { $0.name == property.name }) {
      arguments += ", default: \(value)"
    }
    if let rule = property.onDelete { arguments += ", onDelete: \(rule.trimmedDescription)" }
    return arguments
  }

  private var lists: String? {
    guard !shape.lists.isEmpty else { return nil }
    let lists = shape.lists.map { list in
      "ModelList(\(quoted(list.name)), (\(list.typeText)).self"
        + "\(list.onDelete.map { ", onDelete: \($0.trimmedDescription)" } ?? ""))"
    }
    return "\(access)nonisolated static let modelLists: [ModelList] = "
      + "[\(lists.joined(separator: ", "))]"
  }

  private var renames: String? {
    var renames = shape.properties.compactMap { property in
      property.renamedFrom.map {
        "ModelRename(property: \(quoted(property.name)), from: \(quoted($0)))"
      }
    }
    if let old = shape.renamedFrom { renames.append("ModelRename(modelFrom: \(quoted(old)))") }
    guard !renames.isEmpty else { return nil }
    return "\(access)nonisolated static let modelRenames: [ModelRename] = "
      + "[\(renames.joined(separator: ", "))]"
  }

  // MARK: Rows

  private var reading: String {
    // Lists last: reading them ends what the row borrows.
    let columns = shape.columns.enumerated().map {
      "self.\($1.identifier) = try row.read(\($0), as: (\($1.typeText)).self)"
    }
    let lists = shape.lists.enumerated().map {
      "self.\($1.identifier) = try row.list(\($0), as: (\($1.typeText)).self)"
    }
    return """
      \(access)nonisolated init(from row: borrowing RowReader) throws(StoreError) {
      \(lines(columns + lists))
      }
      """
  }

  private var writing: String {
    let columns = shape.columns.enumerated().map { "try row.write(\($1.identifier), at: \($0))" }
    let lists = shape.lists.enumerated().map { "try row.write(\($1.identifier), list: \($0))" }
    return """
      \(access)nonisolated func write(to row: borrowing RowWriter) throws(StoreError) {
      \(lines(columns + lists))
      }
      """
  }

  private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  /// A text as a literal.
  private func quoted(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.value < 0x20: literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }
}
