/// Fills rows of a model's new shape from rows of its old one.
///
/// Belongs to one thread. Nothing is allocated for columns that are copied.
final class RowRewriter {
  private let rewrite: ModelRewrite
  private let types: [ValueType]
  /// What is copied, as places of the new and the old row.
  private let copies: [(place: Int, source: Int)]
  private let made: [Int]
  /// The places that need a value and might get none.
  private let needed: [Int]

  init(_ rewrite: ModelRewrite) {
    self.rewrite = rewrite
    types = rewrite.new.properties.map(\.type)
    let columns = rewrite.columns
    copies = columns.indices.compactMap { place in columns[place].copied.map { (place, $0) } }
    made = columns.indices.filter { columns[$0].copied == nil }
    needed = columns.indices.filter { place in
      guard !rewrite.new.properties[place].isOptional else { return false }
      return columns[place].copied.map { rewrite.old.properties[$0].isOptional } ?? true
    }
  }

  /// Fills a row.
  ///
  /// - Parameter isMeant: Whether expressions apply to the record.
  /// - Returns: Why the record has to be left out, by the policy `quarantine`.
  /// - Throws: The reason, by the policy `fail`.
  func fill(_ new: RowBuffer, from old: RowBuffer, isMeant: Bool) throws(RewriteFailure)
    -> RewriteFailure?
  {
    new.reset()
    for copy in copies { new[copy.place] = old[copy.source] }
    for place in made {
      do throws(RewriteFailure) {
        try fill(rewrite.columns[place], isMeant, at: place, of: new, from: old)
      } catch {
        guard try replace(place, of: new, error) else { return error }
      }
    }
    for place in needed where new[place].kind == .null {
      let name = rewrite.new.properties[place].name
      let failure = RewriteFailure(reason: "\(name): the required property would have no value")
      guard try replace(place, of: new, failure) else { return failure }
    }
    return nil
  }

  /// Does what the policy says with a value that cannot be had.
  ///
  /// - Returns: Whether the record goes on.
  private func replace(_ place: Int, of new: RowBuffer, _ failure: RewriteFailure)
    throws(RewriteFailure) -> Bool
  {
    let property = rewrite.new.properties[place]
    switch rewrite.onFailure {
    case .fail: throw failure
    case .quarantine: return false
    case .null:
      guard property.isOptional else { throw failure }
      new[place] = ColumnSlot(.null)
    case .default:
      guard let value = property.defaultValue else { throw failure }
      new.setValue(value, at: place)
    }
    return true
  }

  private func fill(
    _ column: RewriteColumn, _ isMeant: Bool, at place: Int, of new: RowBuffer,
    from old: RowBuffer
  ) throws(RewriteFailure) {
    let property = rewrite.new.properties[place]
    switch column {
    case .copy(let source): new[place] = old[source]
    case .constant(let value): new.setValue(value, at: place)
    case .convert(let source, let rule, let nulls):
      let slot = old[source]
      if slot.kind == .null {
        new.setValue(nulls ?? .null, at: place)
      } else if rewrite.old.properties[source].type == property.type {
        new[place] = slot
      } else if slot.kind == .integer, types[place] == .text {
        new.setValue(.text(String(slot.integer)), at: place)
      } else {
        guard let value = slot.value.converted(to: property.type, rule) else {
          throw RewriteFailure(
            reason: "\(property.name): a \(slot.kind) cannot become \(property.type.rawValue)")
        }
        new.setValue(value, at: place)
      }
    case .expression(let evaluator, let otherwise):
      guard isMeant else {
        if let otherwise {
          new[place] = old[otherwise]
        } else {
          new.setValue(property.defaultValue ?? .null, at: place)
        }
        return
      }
      guard let slot = evaluator.slot(old) else {
        throw RewriteFailure(reason: "\(property.name): the expression has no value")
      }
      try set(slot, property, at: place, of: new)
    case .part(let source, let separator, let index, let count):
      try split(old[source], separator, index, count, property, at: place, of: new)
    case .joined(let sources, let separator):
      let texts = sources.compactMap { old[$0].value.plainText }
      new.setValue(
        texts.isEmpty && property.isOptional
          ? .null : .text(texts.joined(separator: separator)), at: place)
    case .lookUp(let source, let lookup):
      guard old[source].kind != .null else { return new.setValue(.null, at: place) }
      guard let key = try? lookup.newKey(of: old.value(at: source)) else {
        throw RewriteFailure(reason: "\(property.name): the reference leads to no record")
      }
      new.setValue(key, at: place)
    case .keyIfAny(let key, let sources):
      let hasValue = sources.contains { old[$0].kind != .null }
      new[place] = hasValue ? old[key] : ColumnSlot(.null)
    }
  }

  private func set(
    _ slot: ColumnSlot, _ property: PropertyDescription, at place: Int, of new: RowBuffer
  ) throws(RewriteFailure) {
    let value = slot.value
    if let stored = try? value.coerced(to: property.type, isOptional: true) {
      new.setValue(stored, at: place)
    } else if let stored = value.converted(to: property.type, .exact) {
      new.setValue(stored, at: place)
    } else {
      throw RewriteFailure(
        reason: "\(property.name): a \(slot.kind) is no \(property.type.rawValue)")
    }
  }

  private func split(
    _ slot: ColumnSlot, _ separator: String, _ index: Int, _ count: Int,
    _ property: PropertyDescription, at place: Int, of new: RowBuffer
  ) throws(RewriteFailure) {
    guard slot.kind == .text else { return new.setValue(.null, at: place) }
    // The last part has the rest, with the separators in it.
    var rest = Substring(String(decoding: slot.bytes, as: UTF8.self)).utf8[...]
    var part: Substring.UTF8View?
    for number in 0...index {
      guard number < count - 1, let range = rest.firstRange(of: separator.utf8) else {
        part = number == index ? rest : nil
        break
      }
      part = rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
    }
    guard let part else { return new.setValue(.null, at: place) }
    let text = StoredValue.text(String(Substring(part)))
    guard let value = text.converted(to: property.type, .exact) else {
      throw RewriteFailure(reason: "\(property.name): a part is no \(property.type.rawValue)")
    }
    new.setValue(value, at: place)
  }
}
