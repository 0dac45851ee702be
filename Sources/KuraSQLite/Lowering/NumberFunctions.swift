import CSQLite
import KuraCore

/// Sums and averages of lists in SQL, computed as every backend computes them.
///
/// Integers do not overflow on the way, decimals are exact, doubles are compensated. SQLite knows no decimals, and its
/// own sum is an error when integers overflow.
enum NumberFunctions {
  /// The types whose numbers are added.
  private static let types: [ValueType] = [.integer, .double, .decimal, .any]

  /// A function over a column as SQL.
  static func expression(_ function: AggregateRequest.Function, _ layout: ModelLayout) -> String {
    switch function {
    case .count: "count(*)"
    case .minimum(let column): "min(\(layout.comparable(column)))"
    case .maximum(let column): "max(\(layout.comparable(column)))"
    case .sum(let column): "\(name("sum", column, layout))(\(layout.quotedColumn(column)))"
    case .average(let column):
      "\(name("average", column, layout))(\(layout.quotedColumn(column)))"
    }
  }

  private static func name(_ function: String, _ column: Int, _ layout: ModelLayout) -> String {
    let type = layout.columns.indices.contains(column) ? layout.columns[column].type : .any
    return "kura_\(function)_\(type.rawValue)"
  }

  /// Makes the functions known to a connection.
  static func register(on connection: SQLiteConnection) throws(StoreError) {
    for (number, type) in types.enumerated() {
      try register("kura_sum_\(type.rawValue)", 2 * number + 1, on: connection)
      try register("kura_average_\(type.rawValue)", 2 * number + 2, on: connection)
    }
  }

  private static func register(_ name: String, _ number: Int, on connection: SQLiteConnection)
    throws(StoreError)
  {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    // The user data is no pointer but the function's number.
    let result = unsafe sqlite3_create_function_v2(
      connection.handle, name, 1, flags, UnsafeMutableRawPointer(bitPattern: number), nil,
      { context, _, values in unsafe NumberFunctions.step(context, values) },
      { context in unsafe NumberFunctions.finish(context) }, nil)
    guard result == SQLITE_OK else { throw connection.error(result, doing: "add a function") }
  }

  /// What is added, behind the pointer that SQLite keeps for each group.
  private final class Total {
    var accumulator: Accumulator
    let isDecimal: Bool
    let row = RowBuffer(columns: 1)

    init(number: Int) {
      let place = (number - 1) / 2
      let type = NumberFunctions.types.indices.contains(place) ? NumberFunctions.types[place] : .any
      isDecimal = type == .decimal
      let layout = ModelLayout(
        name: "", columns: [ModelLayout.Column(name: "", type: type)], keyColumns: [],
        rowIDName: nil, isKuraModel: true)
      accumulator = Accumulator(
        number.isMultiple(of: 2) ? .average(column: 0) : .sum(column: 0), layout, place: 0)
    }
  }

  private static func step(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    let size = unsafe Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard let values = unsafe values, let value = unsafe values[0],
      let memory = unsafe sqlite3_aggregate_context(context, size)
    else { return unsafe sqlite3_result_error_nomem(context) }
    let place = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    let total: Total
    if let known = unsafe place.pointee {
      total = unsafe Unmanaged<Total>.fromOpaque(known).takeUnretainedValue()
    } else {
      total = unsafe Total(number: Int(bitPattern: sqlite3_user_data(context)))
      unsafe place.pointee = Unmanaged.passRetained(total).toOpaque()
    }
    total.row.reset()
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      total.row[0] = unsafe ColumnSlot(.integer, UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT:
      total.row[0] = unsafe ColumnSlot(.double, sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT where total.isDecimal:
      guard let start = unsafe sqlite3_value_text(value) else { return }
      let bytes = unsafe UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_value_bytes(value)))
      unsafe total.row[0] = ColumnSlot(.decimal, borrowing: bytes)
    default: return
    }
    total.accumulator.add(total.row)
  }

  private static func finish(_ context: OpaquePointer?) {
    let total: Total
    // Without a row there is no memory, and none is asked for.
    if let memory = unsafe sqlite3_aggregate_context(context, 0),
      let known = unsafe memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
    {
      total = unsafe Unmanaged<Total>.fromOpaque(known).takeRetainedValue()
    } else {
      total = unsafe Total(number: Int(bitPattern: sqlite3_user_data(context)))
    }
    switch try? total.accumulator.result() {
    case .integer(let value): unsafe sqlite3_result_int64(context, value)
    case .double(let value): unsafe sqlite3_result_double(context, value)
    case .decimal(let value):
      var text = value.sortableText
      text.withUTF8 { bytes in
        unsafe TextFunctions.setText(context, UnsafeRawBufferPointer(bytes))
      }
    default: unsafe sqlite3_result_null(context)
    }
  }
}
