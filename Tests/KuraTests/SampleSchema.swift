import Kura

/// The models that these tests use.
enum SampleSchema {
  static func dogs(version: Int = 1, extra: [PropertyDescription] = []) throws -> Schema {
    try Schema(
      version: version,
      [
        ModelDescription(
          "Dog", primaryKey: ["id"],
          properties: [
            PropertyDescription("id", .integer),
            PropertyDescription("name", .text),
            PropertyDescription("age", .integer, isOptional: true),
            PropertyDescription("weight", .double, defaultValue: 1.5),
            PropertyDescription("chip", .text, isOptional: true),
          ] + extra,
          indexes: [
            IndexDescription(["chip"], isUnique: true), IndexDescription(["age"]),
          ])
      ])
  }
}
