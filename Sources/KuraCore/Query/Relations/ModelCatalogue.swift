/// The models of a schema as queries that go from one to another need them.
public struct ModelCatalogue: Sendable {
  private let schema: Schema
  private let layouts: [String: ModelLayout]

  /// Makes a catalogue of a schema with the layouts of its models by name.
  public init(_ schema: Schema, _ layouts: [String: ModelLayout]) {
    self.schema = schema
    self.layouts = layouts
  }

  /// Makes a catalogue of a schema.
  public init(_ schema: Schema) {
    self.init(
      schema,
      Dictionary(
        schema.models.map { ($0.name, ModelLayout($0)) }, uniquingKeysWith: { first, _ in first }))
  }

  /// The model that a reference leads to; `nil` when the property is none.
  func target(of property: String, in model: String) -> ModelLayout? {
    schema.model(named: model)?.property(named: property)?.reference
      .flatMap { layouts[$0.target] }
  }

  /// The model that keeps a list, and the model of the records that it holds; `nil` when there is
  /// no such list.
  func list(_ name: String, of model: String) -> (keeper: ModelLayout, target: ModelLayout)? {
    for keeper in schema.models where keeper.list?.property == name {
      guard keeper.property(named: ListDescription.owner)?.reference?.target == model,
        let layout = layouts[keeper.name],
        let target = target(of: ListDescription.target, in: keeper.name)
      else { continue }
      return (layout, target)
    }
    return nil
  }

  /// The names of a model's lists.
  func lists(of model: String) -> [String] {
    schema.models.compactMap { keeper in
      keeper.property(named: ListDescription.owner)?.reference?.target == model
        ? keeper.list?.property : nil
    }
  }
}
