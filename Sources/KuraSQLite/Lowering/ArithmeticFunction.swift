import CSQLite
import KuraCore

/// Arithmetic of conditions in SQL: SQLite's own turns integers that overflow into doubles.
enum ArithmeticFunction {
  /// `kura_arithmetic(steps, operand, …)`.
  static let name = "kura_arithmetic"

  /// Makes the function known to a connection.
  static func register(on connection: SQLiteConnection) throws(StoreError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    let result = unsafe sqlite3_create_function_v2(
      connection.handle, name, -1, flags, nil,
      { context, count, values in unsafe ArithmeticFunction.call(context, count, values) },
      nil, nil, nil)
    guard result == SQLITE_OK else { throw connection.error(result, doing: "add a function") }
  }

  private static func call(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let values = unsafe values, count >= 1,
      count <= 1 + ArithmeticProgram.maximumOperandCount,
      let program = unsafe sqlite3_value_text(values[0])
    else { return unsafe sqlite3_result_null(context) }
    let steps = unsafe UnsafeBufferPointer(
      start: program, count: Int(sqlite3_value_bytes(values[0])))
    let number = unsafe withUnsafeTemporaryAllocation(
      of: ArithmeticNumber.self, capacity: Int(count)
    ) { stack in
      unsafe stack.initialize(repeating: .none)
      return unsafe ArithmeticNumber.run(steps, on: stack) { position, isDecimal in
        guard position + 1 < Int(count), let value = unsafe values[position + 1] else {
          return .none
        }
        return unsafe ArithmeticFunction.number(value, isDecimal: isDecimal)
      }
    }
    switch number {
    case .none: unsafe sqlite3_result_null(context)
    case .integer(let value): unsafe sqlite3_result_int64(context, value)
    case .double(let value): unsafe sqlite3_result_double(context, value)
    case .decimal(let value):
      var text = value.sortableText
      text.withUTF8 { bytes in
        unsafe TextFunctions.setText(context, UnsafeRawBufferPointer(bytes))
      }
    }
  }

  private static func number(_ value: OpaquePointer, isDecimal: Bool) -> ArithmeticNumber {
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return unsafe .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return unsafe .double(sqlite3_value_double(value))
    case SQLITE_TEXT where isDecimal:
      guard let start = unsafe sqlite3_value_text(value) else { return .none }
      let bytes = unsafe UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_value_bytes(value)))
      return unsafe ColumnSlot(.decimal, borrowing: bytes).arithmeticNumber
    default: return .none
    }
  }
}
