#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case format, version, models }

  /// The number of the JSON form's own version.
  private static let jsonFormat = 1

  /// Encodes the members `format`, `version` and `models`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Schema.jsonFormat, forKey: .format)
    try container.encode(version, forKey: .version)
    try container.encode(models, forKey: .models)
  }

  /// Decodes and checks a schema.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Schema.jsonFormat else {
      throw StoreError(
        .newerFormat, "the schema's JSON is of a newer form", found: "\(format)",
        expected: "\(Schema.jsonFormat)")
    }
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    try self.init(
      version: container.decode(Int.self, forKey: .version),
      container.decode([ModelDescription].self, forKey: .models))
  }

  /// The canonical JSON: one line, members by name, nothing that has its default.
  public var canonicalJSON: String { Schema.json(self) }

  /// Reads a schema from JSON.
  ///
  /// - Throws: ``StoreError/Code/invalidSchema`` with the place in the JSON, and what making a
  ///   schema throws.
  public init(json: String) throws(StoreError) {
    guard json.utf8.count <= 16 << 20 else {
      throw StoreError(.invalidSchema, "the schema's JSON is larger than 16 MB")
    }
    do {
      self = try JSONDecoder().decode(Schema.self, from: Data(json.utf8))
    } catch let error as StoreError {
      throw error
    } catch let error as DecodingError {
      throw StoreError(.invalidSchema, "the schema's JSON is wrong: \(error.place)")
    } catch {
      throw StoreError(.invalidSchema, "the schema's JSON cannot be read")
    }
  }

  /// The hash of the logical schema: models, properties, keys and indexes, neither the version nor
  /// the order of declaration.
  public var fingerprint: String {
    let logical = models.map { model in
      var model = model
      model.properties.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      model.indexes.sort {
        Schema.json($0).utf8.lexicographicallyPrecedes(Schema.json($1).utf8)
      }
      return Schema.json(model) + "\n"
    }
    return SHA256.hex(of: logical.joined().utf8)
  }

  /// The canonical JSON of a part of a schema.
  package static func json(_ part: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every part of a schema can be encoded; the fallback is never valid JSON.
    return (try? encoder.encode(part)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension DecodingError {
  /// Where in the JSON the fault is, without values.
  var place: String {
    let (context, what): (Context, String) =
      switch self {
      case .typeMismatch(_, let context): (context, "a value of another type")
      case .valueNotFound(_, let context): (context, "a null")
      case .keyNotFound(let key, let context): (context, "no member \"\(key.stringValue)\"")
      case .dataCorrupted(let context): (context, context.debugDescription)
      @unknown default: (Context(codingPath: [], debugDescription: ""), "a fault")
      }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return what + (path.isEmpty ? "" : " at " + path.joined(separator: "."))
  }
}

extension ModelDescription: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, properties, primaryKey, indexes, list
  }

  /// Encodes the members; indexes and list only when there are any.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(properties, forKey: .properties)
    try container.encode(primaryKey, forKey: .primaryKey)
    if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
    try container.encodeIfPresent(list, forKey: .list)
  }

  /// Decodes a model; a schema checks it.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .name),
      primaryKey: try container.decode([String].self, forKey: .primaryKey),
      properties: try container.decode([PropertyDescription].self, forKey: .properties),
      indexes: try container.decodeIfPresent([IndexDescription].self, forKey: .indexes) ?? [],
      list: try container.decodeIfPresent(ListDescription.self, forKey: .list))
  }
}

extension PropertyDescription: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, type, optional, reference
    case defaultValue = "default"
  }

  /// Encodes the members; only what differs from a required property without default.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(type, forKey: .type)
    if isOptional { try container.encode(true, forKey: .optional) }
    if let defaultValue, !defaultValue.isNull {
      try container.encode(defaultValue, forKey: .defaultValue)
    }
    try container.encodeIfPresent(reference, forKey: .reference)
  }

  /// Decodes a property; a schema checks it.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .name),
      try container.decode(ValueType.self, forKey: .type),
      isOptional: try container.decodeIfPresent(Bool.self, forKey: .optional) ?? false,
      defaultValue: try container.decodeIfPresent(StoredValue.self, forKey: .defaultValue),
      reference: try container.decodeIfPresent(ReferenceDescription.self, forKey: .reference))
  }
}
