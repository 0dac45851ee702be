import Foundation
import Kura

/// Results of a game, kept in a store that is opened without `try!`.
@main enum Main {
  static func main() async throws {
    let format: StoreFormat = CommandLine.arguments.dropFirst().first == "lmdb" ? .lmdb : .sqlite
    let store: Store
    do {
      store = try await Store.open(
        StoreConfiguration(
          at: .memory, schema: try Schema(version: 1, CoopResult.self), format: format))
    } catch {
      // What an app would show instead of ending: the error says what was found and what to do.
      print("The results cannot be opened: \(error)")
      return
    }
    let list = ResultList(store: store)
    try await list.show("At first")
    try await list.addFive(first: 1)
    try await list.show("Five added")
    try await list.addFive(first: 6)
    try await list.show("Five more")
    print("Deleted \(try await list.deleteAll())")
    try await list.show("At last")
    try await store.close()
  }
}
