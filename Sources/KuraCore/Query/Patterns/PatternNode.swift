/// A part of a pattern of MATCHES.
indirect enum PatternNode {
  /// Nothing, which fits everywhere.
  case empty
  /// One scalar.
  case scalar(UInt32)
  /// One scalar of a set.
  case set(ScalarSet)
  /// A place that consumes nothing.
  case place(Place)
  /// One after the other.
  case sequence([PatternNode])
  /// Any of several.
  case alternatives([PatternNode])
  /// At least so often and at most so often; `nil` is without end.
  case repetition(PatternNode, Int, Int?)

  /// What is asked of a place in the text.
  enum Place {
    case start, end
    /// The end, or before a line end that is the last thing of the text.
    case beforeLastLineEnd
    case lineStart, lineEnd
    case wordBoundary, noWordBoundary
  }
}
