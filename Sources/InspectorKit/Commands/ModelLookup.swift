import Kura
import KuraCore

/// Finds the tables that a command names.
struct ModelLookup {
  let schema: StoredSchema
  let path: String

  /// Finds among all models; only the named ones have their columns, because a file may have a
  /// hundred thousand others.
  init(_ transaction: any EngineReadTransaction, _ names: Set<String>, path: String)
    throws(StoreError)
  {
    self.init(schema: try transaction.storedSchema(detailing: names), path: path)
  }

  init(schema: StoredSchema, path: String) {
    self.schema = schema
    self.path = path
  }

  /// The models that commands show without being asked: no engine's, module's or Kura's own tables.
  var visible: [StoredModel] {
    schema.models.filter { $0.kind != .shadow && $0.kind != .system }
  }

  /// The model of a name.
  ///
  /// - Throws: ``StoreError/Code/unknownModel`` with a suggestion.
  func model(_ name: String) throws(StoreError) -> StoredModel {
    if let model = schema.model(named: name) { return model }
    let names = visible.map(\.name)
    let hint = closestMatch(name, in: names).map { "did you mean \"\($0)\"?" }
    throw StoreError(
      .unknownModel, "there is no table \"\(name)\"", path: path,
      suggestion: hint ?? ModelLookup.list(names))
  }

  /// The model of a name that can be read.
  ///
  /// - Throws: ``StoreError/Code/unknownModel``, and the model's problem.
  func readableModel(_ name: String) throws(StoreError) -> StoredModel {
    let model = try model(name)
    guard let problem = model.problem else { return model }
    throw StoreError(
      model.isDamaged ? .damaged : .invalidQuery, "\"\(model.name)\" cannot be read: \(problem)",
      path: path,
      suggestion: model.isDamaged
        ? "restore a backup; see store-inspect check" : nil)
  }

  /// The layout of a model: typed when Kura made it, else as found.
  func layout(_ model: StoredModel) -> ModelLayout {
    schema.kuraSchema?.model(named: model.name).map(ModelLayout.init) ?? ModelLayout(model)
  }

  /// The models that references and lists lead to, in files that Kura made.
  var catalogue: ModelCatalogue? { schema.kuraSchema.map { ModelCatalogue($0) } }

  private static func list(_ names: [String]) -> String {
    guard !names.isEmpty else { return "the file has no tables" }
    let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
    return "there are: " + names.prefix(8).joined(separator: ", ") + rest
  }
}

extension BoundQuery {
  /// Reads only some columns, named in a list separated by commas.
  func selecting(_ list: String?) throws(StoreError) -> BoundQuery {
    guard let list else { return self }
    var copy = self
    var columns: [Int] = []
    for name in list.split(separator: ",").map({ $0.trimmingSpaces }) {
      guard
        let index = layout.index(of: name)
          ?? layout.columns.firstIndex(where: { $0.name.lowercased() == name.lowercased() })
      else {
        let hint = closestMatch(name, in: layout.columns.map(\.name))
        throw StoreError(
          .unknownProperty, "\"\(layout.name)\" has no column \"\(name)\"",
          suggestion: hint.map { "did you mean \"\($0)\"?" } ?? "see store-inspect schema")
      }
      columns.append(index)
    }
    copy.columns = columns
    return copy
  }
}

extension Substring {
  /// The text without spaces at both ends.
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
