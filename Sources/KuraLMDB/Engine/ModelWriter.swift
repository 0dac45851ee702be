import CLMDB
import KuraCore

/// What a write transaction keeps ready for one model: buffers, databases, the ends of their order.
///
/// Everything is made once and used for every record; writing a record allocates nothing.
@safe
final class ModelWriter {
  /// What the values of one column must be.
  struct Rule: BitwiseCopyable {
    let form: ValueForm
    /// The kind of slot that is taken without a closer look.
    let plainKind: ColumnSlot.Kind?
    let takesNull: Bool
  }

  /// One index.
  final class Index {
    let model: CatalogueModel.Index
    let columns: [Int]
    let target: WriteTarget
    /// The entry of the record as it will be.
    let entry: IndexEntry
    /// The entry of the record as it is.
    let oldEntry: IndexEntry
    /// Whether a cut key was noted in the catalogue.
    var isCut: Bool
    /// Whether the entry of the record at hand changes.
    var isChanged = false

    /// A walk that is kept for look-ups.
    private var lookUp: EnvironmentCursor?

    init(_ model: CatalogueModel.Index, _ columns: [Int], _ target: WriteTarget, isCut: Bool) {
      self.model = model
      self.columns = columns
      self.target = target
      self.isCut = isCut
      entry = IndexEntry(columns: columns)
      oldEntry = IndexEntry(columns: columns)
    }

    /// A walk over the index's entries; one at a time.
    func lookUp(in snapshot: EnvironmentSnapshot) throws(StoreError) -> EnvironmentCursor {
      if let lookUp { return lookUp }
      let cursor = try snapshot.cursor(target.database)
      lookUp = cursor
      return cursor
    }
  }

  /// A property whose values are keys of another model.
  struct Reference {
    let column: Int
    /// The records of the target; `nil` when the model is gone.
    let target: MDB_dbi?
    /// Whether the target is the model itself.
    let isOwn: Bool
  }

  /// A property of some model whose values are keys of this one.
  struct Referrer {
    let model: CatalogueModel
    let property: CatalogueModel.Property
  }

  let binding: ModelBinding
  let records: WriteTarget
  let indexes: [Index]
  let hasIndexes: Bool
  let references: [Reference]
  let referrers: [Referrer]
  let writer: RecordWriter
  let reader: RecordReader
  /// The key of the record at hand.
  let key = OrderedKey()
  /// The key that a record had before it is moved.
  let oldKey = OrderedKey()
  /// The record as it is.
  let oldRow: RowBuffer
  /// The record as it will be.
  let newRow: RowBuffer
  /// The key of a reference's target.
  let targetKey = OrderedKey()
  /// Whether a cut key was noted in the catalogue.
  var isCut: Bool
  /// Whether anything must be looked at before a record is written.
  let hasConstraints: Bool
  /// The rules of all columns; a pointer, because an array would be counted for each record.
  let rules: UnsafeMutablePointer<Rule>
  let ruleCount: Int
  /// The column of a key of one integer, whose null asks for the next number; -1 for other keys.
  let numberColumn: Int
  /// The key columns whose bytes may not give the value back: those of doubles.
  let doubleKeys: [Int]

  /// Where changes of the model's records are noted, as long as they are noted one by one.
  var log: ModelChangeLog?
  /// The places of the columns in the model's description, -1 for those that it lacks; looked up for
  /// the first modification that is noted.
  var places: [Int] = []

  init(_ model: CatalogueModel, _ catalogue: Catalogue, _ snapshot: EnvironmentSnapshot)
    throws(StoreError)
  {
    let binding = try catalogue.whole(model)
    self.binding = binding
    records = WriteTarget(try snapshot.existing(model.database, of: model))
    isCut = model.cut.contains(model.database)
    var indexes: [Index] = []
    for index in model.indexes {
      let name = LMDBFormat.indexDatabase(index.id)
      indexes.append(
        Index(
          index, index.properties.compactMap { binding.column($0) },
          WriteTarget(try snapshot.existing(name, of: model)), isCut: model.cut.contains(name)))
    }
    self.indexes = indexes
    hasIndexes = !indexes.isEmpty
    var references: [Reference] = []
    for (column, property) in model.properties.enumerated() {
      guard let reference = property.reference else { continue }
      let target = catalogue.models[reference.model]
      references.append(
        Reference(
          column: column,
          target: try target.map { target throws(StoreError) in
            try snapshot.existing(target.database, of: target)
          },
          isOwn: reference.model == model.id))
    }
    self.references = references
    referrers = catalogue.orderedModels.flatMap { other in
      other.properties.filter { $0.reference?.model == model.id }
        .map { Referrer(model: other, property: $0) }
    }
    writer = RecordWriter(binding)
    reader = RecordReader(binding, columns: binding.layout.columns.indices)
    oldRow = RowBuffer(columns: binding.layout.columns.count)
    newRow = RowBuffer(columns: binding.layout.columns.count)
    hasConstraints = !references.isEmpty || indexes.contains { $0.model.isUnique }
    ruleCount = binding.forms.count
    unsafe rules = .allocate(capacity: max(1, ruleCount))
    for (index, form) in binding.forms.enumerated() {
      unsafe (rules + index).initialize(
        to: Rule(
          form: form, plainKind: form.plainKind, takesNull: binding.takesNull[index]))
    }
    numberColumn = binding.hasIntegerKey ? binding.keyColumns[0] : -1
    doubleKeys = zip(binding.keyColumns, binding.keyTypes).filter { $0.1 == .double }.map(\.0)
  }

  deinit { unsafe rules.deallocate() }

  /// Builds the key of a row of all properties into ``key``.
  ///
  /// - Returns: Whether the record must store its key properties as well.
  func makeKey(_ row: RowBuffer) -> Bool {
    key.truncate()
    if numberColumn >= 0 {
      key.append(integer: row[numberColumn].word0)
      return false
    }
    for column in binding.keyColumns { key.append(row[column]) }
    if key.cutIfTooLong() { return true }
    for column in doubleKeys where row[column].double.bitPattern == (-0.0).bitPattern {
      return true
    }
    return false
  }
}
