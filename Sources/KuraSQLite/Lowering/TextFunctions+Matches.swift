import CSQLite
import KuraCore

extension TextFunctions {
  /// `kura_matches(value, pattern, options)`.
  static func callMatches(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let values = unsafe values, let text = unsafe bytes(values[0]), unsafe !text.isData,
      let pattern = unsafe pattern(context, values)
    else { return unsafe sqlite3_result_int(context, 0) }
    unsafe sqlite3_result_int(context, pattern.matches(text.bytes) ? 1 : 0)
  }

  /// The pattern, read once for a statement; `nil` for one that the binder would refuse.
  private static func pattern(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>
  ) -> TextPattern? {
    if let known = unsafe sqlite3_get_auxdata(context, 1) {
      return unsafe Unmanaged<TextPattern>.fromOpaque(known).takeUnretainedValue()
    }
    guard let source = unsafe bytes(values[1]) else { return nil }
    let folding = unsafe TextComparison(
      rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(values[2])))
    guard
      let pattern = unsafe try? TextPattern(String(decoding: source.bytes, as: UTF8.self), folding)
    else { return nil }
    unsafe sqlite3_set_auxdata(
      context, 1, Unmanaged.passRetained(pattern).toOpaque(),
      { known in
        if let known = unsafe known { unsafe Unmanaged<TextPattern>.fromOpaque(known).release() }
      })
    return pattern
  }
}
