import Kura
import Testing

/// No change is lost and none comes twice, whoever writes.
@Suite("Observation Concurrency")
struct ObservationConcurrencyTests {
  @Model struct Cell {
    @PrimaryKey var id: Int
    var writer: Int
    var value: Int
  }

  @Test(arguments: [StoreFormat.sqlite, .lmdb])
  func `every observer ends with what the store has`(format: StoreFormat) async throws {
    let folder = try TemporaryFolder()
    let configuration = StoreConfiguration(
      at: .file(folder.file("cells.kura")), schema: try Schema(version: 1, Cell.self),
      format: format)
    // The second one is to the first what another process is.
    let stores = [try await Store.open(configuration), try await Store.open(configuration)]
    let end = -1
    let finals = try await withThrowingTaskGroup(of: [[Int]].self) { group in
      for observer in 0..<8 {
        let store = stores[observer % 2]
        group.addTask {
          var rows: [[Int]] = []
          let query =
            observer < 4 ? Cell.all.sorted(by: { $0.value }) : Cell.where { $0.value < 50 }
          for try await change in store.changes(of: query) {
            let new = change.rows
            switch change {
            case .initial: rows = new.map { [$0.id, $0.writer, $0.value] }
            case .update(_, let difference):
              difference.apply(to: &rows) { index in
                new.element(at: index).map { [$0.id, $0.writer, $0.value] }
              }
            }
            #expect(rows == new.map { [$0.id, $0.writer, $0.value] })
            if new.contains(where: { $0.id == end }) { break }
          }
          return rows.sorted { $0[0] < $1[0] }
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { writers in
        for writer in 0..<4 {
          writers.addTask {
            for step in 0..<60 {
              let id = (step * 7 + writer * 13) % 40
              try await stores[writer % 2].write { transaction in
                if step % 5 == 4 {
                  _ = try transaction.delete(Cell.self, key: id)
                } else {
                  try transaction.upsert(Cell(id: id, writer: writer, value: (step * 11) % 90))
                }
              }
            }
          }
        }
        try await writers.waitForAll()
      }
      try await stores[0].insert(Cell(id: end, writer: 0, value: 0))
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let all = try await stores[1].records(Cell.all).map { [$0.id, $0.writer, $0.value] }
    let some = all.filter { $0[2] < 50 }
    #expect(finals.count == 8)
    for rows in finals { #expect(rows == all || rows == some) }
    #expect(finals.count { $0 == all } >= 4)
  }
}
