import Kura

/// A rule of the backend contract that does not hold.
public struct ConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was seen and what was expected.
  public let description: String

  /// Makes a failure of a text.
  public init(_ description: String) { self.description = description }
}

/// Throws unless a statement holds.
func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) throws {
  guard isTrue else { throw ConformanceFailure(message()) }
}

/// Throws unless two values are equal.
func expectEqual<T: Equatable>(_ found: T, _ expected: T, _ what: @autoclosure () -> String) throws
{
  guard found == expected else {
    throw ConformanceFailure("\(what()): found \(found), expected \(expected)")
  }
}

/// Throws unless a body throws an error of one of the codes.
@discardableResult
func expectError(
  _ codes: StoreError.Code..., of what: @autoclosure () -> String, _ body: () throws -> Void
) throws -> StoreError {
  do {
    try body()
  } catch let error as StoreError {
    guard codes.contains(error.code) else {
      throw ConformanceFailure("\(what()): threw \(error.code) (\(error)), expected \(codes)")
    }
    return error
  }
  throw ConformanceFailure("\(what()): threw nothing, expected \(codes)")
}
