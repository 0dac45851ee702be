import KuraCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CatalogueModel {
  /// The bytes of the entry.
  var json: [UInt8] { CatalogueJSON.encode(self) }

  /// Reads an entry.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when the bytes are no entry or contradict themselves.
  init(json: UnsafeRawBufferPointer) throws(StoreError) {
    self = try unsafe CatalogueJSON.decode(json)
    guard isConsistent else {
      throw StoreError(
        .damaged, "the catalogue's entry of \"\(name.prefix(80))\" contradicts itself",
        suggestion: "restore a backup")
    }
  }
}

/// The JSON of the catalogue: members by name, everything unknown refused.
enum CatalogueJSON {
  static func encode(_ part: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every part of a catalogue can be encoded; the fallback is never valid JSON.
    return (try? encoder.encode(part)).map { [UInt8]($0) } ?? []
  }

  static func decode<Part: Decodable>(_ json: UnsafeRawBufferPointer) throws(StoreError) -> Part {
    do {
      guard json.count <= 16 << 20 else { throw unreadable }
      return try unsafe JSONDecoder().decode(Part.self, from: Data(json))
    } catch {
      throw unreadable
    }
  }

  private static var unreadable: StoreError {
    StoreError(
      .damaged, "an entry of the store's catalogue cannot be read",
      suggestion: "restore a backup, or read the file with a newer version of Kura")
  }
}

extension CatalogueModel: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, kind, name, primaryKey, properties, indexes, shapes, cut, nextProperty, list
  }

  /// The only kind of entry.
  private static let kind = "model"

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(CatalogueModel.kind, forKey: .kind)
    try container.encode(name, forKey: .name)
    try container.encode(primaryKey, forKey: .primaryKey)
    try container.encode(properties, forKey: .properties)
    if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
    try container.encode(shapes, forKey: .shapes)
    if !cut.isEmpty { try container.encode(cut.sorted(), forKey: .cut) }
    try container.encode(nextProperty, forKey: .nextProperty)
    try container.encodeIfPresent(list, forKey: .list)
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(String.self, forKey: .kind) == CatalogueModel.kind else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: container, debugDescription: "an entry of an unknown kind")
    }
    id = try container.decode(UInt32.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    primaryKey = try container.decode([UInt32].self, forKey: .primaryKey)
    properties = try container.decode([Property].self, forKey: .properties)
    indexes = try container.decodeIfPresent([Index].self, forKey: .indexes) ?? []
    shapes = try container.decode([[UInt32]].self, forKey: .shapes)
    cut = Set(try container.decodeIfPresent([String].self, forKey: .cut) ?? [])
    nextProperty = try container.decode(UInt32.self, forKey: .nextProperty)
    list = try container.decodeIfPresent(ListDescription.self, forKey: .list)
  }
}

extension CatalogueModel.Property: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, type, optional, initial, reference
    case defaultValue = "default"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(type, forKey: .type)
    if isOptional { try container.encode(true, forKey: .optional) }
    try container.encodeIfPresent(defaultValue, forKey: .defaultValue)
    try container.encodeIfPresent(initial, forKey: .initial)
    try container.encodeIfPresent(reference, forKey: .reference)
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UInt32.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    type = try container.decode(ValueType.self, forKey: .type)
    isOptional = try container.decodeIfPresent(Bool.self, forKey: .optional) ?? false
    defaultValue = try container.decodeIfPresent(StoredValue.self, forKey: .defaultValue)
    initial = try container.decodeIfPresent(StoredValue.self, forKey: .initial)
    reference = try container.decodeIfPresent(
      CatalogueModel.Reference.self, forKey: .reference)
    for value in [defaultValue, initial].compactMap({ $0 }) {
      // A value of another type would be given out as one of this type.
      _ = try value.coerced(to: type, isOptional: true)
    }
  }
}

extension CatalogueModel.Reference: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case model, onDelete }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    try container.encode(onDelete, forKey: .onDelete)
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    model = try container.decode(UInt32.self, forKey: .model)
    onDelete = try container.decode(ReferenceDescription.DeleteRule.self, forKey: .onDelete)
  }
}

extension CatalogueModel.Index: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, properties, isUnique, kind
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(properties, forKey: .properties)
    try container.encode(isUnique, forKey: .isUnique)
    try container.encode(kind, forKey: .kind)
  }

  init(from decoder: any Decoder) throws {
    try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UInt32.self, forKey: .id)
    properties = try container.decode([UInt32].self, forKey: .properties)
    isUnique = try container.decode(Bool.self, forKey: .isUnique)
    kind = try container.decode(Kind.self, forKey: .kind)
  }
}
