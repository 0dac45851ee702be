/// How an observed query follows its store.
struct ObservationPlan: Sendable {
  let query: BoundQuery
  /// The models that keep lists of the records, which are read with them.
  let lists: Set<String>
  /// The columns whose changes are told; the others change rows silently.
  let columns: [Int]
  /// Whether changes of every property and list are told.
  let tellsAll: Bool
  /// Why the query must run again when something changed; `nil` when looking at the changed records is
  /// enough.
  let reasonToRerun: String?
  /// Whether a record's key alone says where it stands in the order.
  let isOrderedByKey: Bool

  /// - Parameter properties: The names of the properties whose changes are told; `nil` for all.
  init(_ query: BoundQuery, lists: Set<String>, properties: [String]?) throws(StoreError) {
    self.query = query
    self.lists = lists
    let layout = query.layout
    tellsAll = properties == nil
    if let properties {
      var columns: [Int] = []
      for name in properties { columns.append(try layout.column(named: name)) }
      self.columns = columns
    } else {
      columns = Array(layout.columns.indices)
    }
    reasonToRerun =
      if !query.derived.isEmpty || query.condition.hasSubquery {
        "it looks at other records"
      } else if query.distinct != nil {
        "of equal records the first one stands for all"
      } else if query.limit != nil || query.offset > 0 {
        "what leaves the window lets others in"
      } else if layout.keyColumns.isEmpty {
        "its records have no key"
      } else {
        nil
      }
    isOrderedByKey = query.order.allSatisfy { layout.keyColumns.contains($0.column) }
  }

  /// The models whose changes matter.
  var models: Set<String> { query.models.union(lists) }

  /// How it follows, a line for people.
  var explanation: String {
    guard let reasonToRerun else {
      return "follow: look at the changed records only"
    }
    return "follow: run again after changes of \(models.sorted().joined(separator: ", ")), because "
      + reasonToRerun
  }
}
