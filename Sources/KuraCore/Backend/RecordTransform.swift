/// What becomes of each record of a model in a replacement that an engine fills by a walk of its own.
///
/// Belongs to the thread of the transaction.
public protocol RecordTransform: AnyObject {
  /// For each column of the replacement the column of the model whose values it has as they are; `nil`
  /// for one that ``fill(_:from:)`` makes.
  var copied: [Int?] { get }

  /// Fills a row of the replacement; called once for each record of the model.
  ///
  /// - Throws: What ends the walk; nothing is filled then.
  func fill(_ new: RowBuffer, from old: RowBuffer) throws(StoreError)
}

extension EngineWriteTransaction {
  /// The caller writes the records itself.
  public func fill(
    _ replacement: ModelLayout, from model: ModelLayout, by transform: any RecordTransform
  ) throws(StoreError) -> Bool { false }
}
