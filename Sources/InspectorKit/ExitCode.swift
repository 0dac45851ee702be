import KuraCore

/// How the tool ends; scripts decide by it.
enum ExitCode: Int32, CaseIterable {
  case done = 0
  case negative = 1
  case mistake = 2
  case cannotOpen = 3
  case busy = 4
  case damaged = 5
  case refused = 6
  case partial = 7
  case schemaMismatch = 8
  case internalError = 70
  case interrupted = 130
  case pipeClosed = 141

  /// One line for people.
  var meaning: String {
    switch self {
    case .done: "done"
    case .negative: "a valid negative answer"
    case .mistake: "the caller's mistake"
    case .cannotOpen: "cannot open"
    case .busy: "busy, locked or timed out"
    case .damaged: "damaged data met while reading; output is incomplete"
    case .refused: "refused: would write without being asked, or the target exists"
    case .partial: "finished, some records skipped"
    case .schemaMismatch: "store newer than the schema, or migration failed"
    case .internalError: "internal error"
    case .interrupted: "interrupted"
    case .pipeClosed: "pipe closed"
    }
  }

  /// The exit code of an error.
  init(_ error: StoreError) {
    if error.code == UsageError.code {
      self = .mistake
    } else if error.code == Output.pipeClosed {
      self = .pipeClosed
    } else {
      switch error.code.kind {
      case .callerMistake: self = .mistake
      case .cannotOpen: self = .cannotOpen
      case .busy: self = .busy
      case .damaged: self = .damaged
      case .refused: self = .refused
      case .schemaMismatch: self = .schemaMismatch
      case .environment, .internalError: self = .internalError
      case .cancelled: self = .interrupted
      }
    }
  }
}
