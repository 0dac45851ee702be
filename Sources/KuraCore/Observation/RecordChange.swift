/// What happens to one record.
public enum RecordChange<Root: Model>: Sendable {
  /// The record when the observation began, `nil` when there was none of the key; always the first one.
  case initial(Root?)
  /// The record after it was changed, or made anew, with the names of the properties and lists whose
  /// values differ from those told last.
  case update(Root, properties: [String])
  /// There is no record of the key any more; the observation goes on.
  case deletion

  /// The record now.
  public var record: Root? {
    switch self {
    case .initial(let record): record
    case .update(let record, _): record
    case .deletion: nil
    }
  }
}

/// What happens to one list of a record.
public enum ListChange<Target: Model>: Sendable {
  /// The list when the observation began, an empty one when there is no such record; always the first.
  case initial(ReferenceList<Target>)
  /// The list after a change, and what is between it and the one before; elements are told apart by
  /// their identities, which are the keys of the difference.
  ///
  /// A deleted owner leaves an empty list.
  case update(ReferenceList<Target>, RowDifference)

  /// The list now.
  public var list: ReferenceList<Target> {
    switch self {
    case .initial(let list), .update(let list, _): list
    }
  }
}
