import KuraCore

/// A file whose commits are given as events, whoever makes them.
protocol ObservedFile: AnyObject {
  /// The number of the state that was given last.
  var commit: UInt64 { get }
  /// Gives the records that are there.
  func giveInitial(to stream: EventStream) throws(StoreError)
  /// Looks whether something was committed, without reading the file when nothing was.
  ///
  /// - Returns: Whether there is something to give.
  func poll() throws(StoreError) -> Bool
  /// Gives what was committed since the last time.
  func give(to stream: EventStream) throws(StoreError)
}
