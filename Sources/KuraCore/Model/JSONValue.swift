#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `Codable` values as the JSON text that a property keeps: members by name, so that equal values
/// have equal text.
enum JSONValue {
  static func encode(_ value: some Encodable) throws(StoreError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw StoreError(
        .notStorable, "a value cannot be encoded as JSON", found: "\(type(of: value))")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer)
    -> Value?
  {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(type, from: Data(bytes))
  }
}
