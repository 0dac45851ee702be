import CSQLite
import KuraCore

/// The source of files that are only read: the opening ladder.
struct ReadOnlySource: ConnectionSource {
  let path: String
  let options: EngineOptions
  let token: OpenFileRegistry.Token
  var notices: [String] { [] }

  init(_ path: String, _ options: EngineOptions) throws(StoreError) {
    self.path = path
    self.options = options
    token = try OpenFileRegistry.shared.register(path, format: .sqlite, create: false)
  }

  func openReader() throws(StoreError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path, .immutable)
    try TextFunctions.register(on: connection)
    return connection
  }

  func openWriter() throws(StoreError) -> SQLiteConnection {
    throw StoreError(.readOnly, "the store is open for reading only", path: path)
  }

  func isCurrent() throws(StoreError) -> Bool { true }

  func finish() { OpenFileRegistry.shared.release(token) }
}
