/// What the planner knows about a source: values, so that a plan depends on nothing else.
package struct SourceOffer: Sendable {
  /// The model.
  package var layout: ModelLayout
  /// How records are ordered.
  package var key: KeyOffer
  /// The indexes.
  package var indexes: [IndexOffer]
  /// About how many records there are.
  package var estimatedCount: Int64

  /// Makes an offer of parts.
  package init(
    layout: ModelLayout, key: KeyOffer = KeyOffer(), indexes: [IndexOffer] = [],
    estimatedCount: Int64
  ) {
    self.layout = layout
    self.key = key
    self.indexes = indexes
    self.estimatedCount = estimatedCount
  }

  /// What a source offers.
  package init(_ source: any RecordSource) {
    self.init(
      layout: source.layout, key: source.key, indexes: source.indexes,
      estimatedCount: source.estimatedCount)
  }
}
