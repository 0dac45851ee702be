import Foundation
import Synchronization

/// Tells when the process's input ends, without keeping the writing loop waiting.
final class EndOfInput: Sendable {
  private let flag = Atomic(false)

  var hasCome: Bool { flag.load(ordering: .relaxed) }

  init() {
    Thread.detachNewThread { [self] in
      while readLine() != nil {}
      flag.store(true, ordering: .relaxed)
    }
  }
}
