/// The values for the placeholders of a query's text: `%@` and `$0` by position, `:name` by name.
///
/// Arguments never become part of the text, so no value can change what a query means.
public struct QueryArguments: Sendable, Hashable {
  /// The values for `%@` in order and for `$` with a number from 0 on.
  public var positional: [StoredValue]
  /// The values for `:name`.
  public var named: [String: StoredValue]

  /// Makes arguments by position and by name.
  public init(_ positional: [StoredValue] = [], named: [String: StoredValue] = [:]) {
    self.positional = positional
    self.named = named
  }
}

extension QueryArguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Makes arguments by position.
  public init(arrayLiteral values: StoredValue...) { self.init(values) }

  /// Makes arguments by name; of equal names the last one counts.
  public init(dictionaryLiteral elements: (String, StoredValue)...) {
    self.init(named: Dictionary(elements, uniquingKeysWith: { $1 }))
  }
}
