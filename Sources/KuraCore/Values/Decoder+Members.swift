extension Decoder {
  /// Throws when an object has a member that nothing here knows: it may change what the rest means.
  package func refuseMembers(besides known: [String]) throws {
    let container = try container(keyedBy: AnyMember.self)
    for member in container.allKeys where !known.contains(member.stringValue) {
      let hint = closestMatch(member.stringValue, in: known).map { "; did you mean \"\($0)\"?" }
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: codingPath,
          debugDescription: "unknown member \"\(member.stringValue.prefix(80))\"" + (hint ?? "")))
    }
  }
}

/// A member of any name.
private struct AnyMember: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
