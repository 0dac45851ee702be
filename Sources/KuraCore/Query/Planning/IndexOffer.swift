/// An index that a ``RecordSource`` has, as the planner sees it.
package struct IndexOffer: Sendable, Hashable {
  /// The name for people, such as `city, name`.
  package var name: String
  /// The indexed columns, most significant first; entries have them as
  /// ``OrderedKey/appendTagged(_:)`` writes them, then the record's key.
  package var components: [Int]
  /// Whether no two records have equal components without a null.
  package var isUnique: Bool
  /// Whether the entries' order is that of the values: no entry's key was cut.
  ///
  /// Otherwise the planner sorts explicitly and reads no column from the entries.
  package var isOrderTrusted: Bool
  /// About how many entries there are.
  package var estimatedCount: Int64

  /// Makes an offer.
  package init(
    name: String, components: [Int], isUnique: Bool, isOrderTrusted: Bool, estimatedCount: Int64
  ) {
    self.name = name
    self.components = components
    self.isUnique = isUnique
    self.isOrderTrusted = isOrderTrusted
    self.estimatedCount = estimatedCount
  }
}

/// The order of a ``RecordSource``'s records, as the planner sees it.
package struct KeyOffer: Sendable, Hashable {
  /// How the bytes of a record's key come from the key columns.
  package enum Form: Sendable, Hashable {
    /// As ``OrderedKey/append(_:)`` writes them one after the other.
    case ordered
    /// The bytes of the only key column, a text or data, as they are: files that others made.
    case plain
    /// In a way that the planner cannot use; the records still come in the key's order.
    case opaque
  }

  /// How the bytes of a record's key come from the key columns.
  package var form: Form
  /// Whether the records' order is that of the key columns: no key was cut.
  package var isOrderTrusted: Bool

  /// Makes an offer.
  package init(form: Form = .ordered, isOrderTrusted: Bool = true) {
    self.form = form
    self.isOrderTrusted = isOrderTrusted
  }
}
