/// The columns of one model in the order in which rows carry them; shared, immutable, compared by
/// identity on hot paths.
public final class ModelLayout: Sendable {
  /// One column.
  public struct Column: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The logical type.
    public let type: ValueType
    /// Whether null is allowed.
    public let isOptional: Bool
    /// The value used when a record gives none.
    public let defaultValue: StoredValue?
    /// Whether the value is computed and so never written.
    public let isGenerated: Bool
    /// Whether a foreign file declares numbers, so that a text of digits means its number there.
    public let isDeclaredNumeric: Bool

    /// Makes a column.
    public init(
      name: String, type: ValueType, isOptional: Bool = true, defaultValue: StoredValue? = nil,
      isGenerated: Bool = false, isDeclaredNumeric: Bool = false
    ) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
      self.defaultValue = defaultValue
      self.isGenerated = isGenerated
      self.isDeclaredNumeric = isDeclaredNumeric
    }
  }

  /// The model's name.
  public let name: String
  /// The columns.
  public let columns: [Column]
  /// The indices of the primary key's columns, most significant first.
  ///
  /// Empty for a foreign table without a usable key; ``rowIDName`` then orders and identifies.
  public let keyColumns: [Int]
  /// The name by which a foreign table's row number is read, when it has no other key.
  public let rowIDName: String?
  /// Whether Kura's schema describes the model, so that values have Kura's encoding in the file.
  public let isKuraModel: Bool

  /// The number of columns that records have; columns behind them are derived.
  package let storedCount: Int

  private let indexByName: [String: Int]
  /// The types of the columns.
  let types: [ValueType]

  /// The layout of a model of a schema.
  public convenience init(_ model: ModelDescription) {
    let names = model.properties.map(\.name)
    self.init(
      name: model.name,
      columns: model.properties.map { property in
        Column(
          name: property.name, type: property.type, isOptional: property.isOptional,
          defaultValue: property.defaultValue)
      },
      keyColumns: model.primaryKey.compactMap { names.firstIndex(of: $0) },
      rowIDName: nil, isKuraModel: true)
  }

  /// The layout of a table, view or database found in a file, without its hidden columns.
  public convenience init(_ model: StoredModel) {
    let columns = model.columns.filter { !$0.isHidden }
    let names = columns.map(\.name)
    self.init(
      name: model.name,
      columns: columns.map { column in
        Column(
          name: column.name, type: column.type, isOptional: column.isOptional,
          isGenerated: column.generation != nil,
          isDeclaredNumeric: column.isDeclaredNumeric)
      },
      keyColumns: model.primaryKey.compactMap { names.firstIndex(of: $0) },
      rowIDName: model.primaryKey.isEmpty ? model.rowIDName : nil, isKuraModel: false)
  }

  /// Makes a layout of parts.
  public convenience init(
    name: String, columns: [Column], keyColumns: [Int], rowIDName: String?, isKuraModel: Bool
  ) {
    self.init(
      name: name, columns: columns, keyColumns: keyColumns, rowIDName: rowIDName,
      isKuraModel: isKuraModel, storedCount: columns.count)
  }

  /// Makes a layout of which only the first columns are stored.
  package init(
    name: String, columns: [Column], keyColumns: [Int], rowIDName: String?, isKuraModel: Bool,
    storedCount: Int
  ) {
    self.storedCount = storedCount
    self.name = name
    self.columns = columns
    self.keyColumns = keyColumns
    self.rowIDName = rowIDName
    self.isKuraModel = isKuraModel
    types = columns.map(\.type)
    self.indexByName = Dictionary(
      columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The index of the column of a name.
  public func index(of name: String) -> Int? { indexByName[name] }
}

extension StoredColumn {
  /// Whether the declared type promises numbers.
  ///
  /// A date is none, although SQLite's rules (its
  /// "type affinity", datatype3.html) would turn the text `1910` in a comparison with it into one.
  fileprivate var isDeclaredNumeric: Bool {
    let declared = declaredType.uppercased()
    return ["INT", "REAL", "FLOA", "DOUB", "NUM", "DEC", "BOOL", "MONEY"]
      .contains { declared.contains($0) }
  }
}
