import Testing

@testable import KuraCore

/// What observers hear of commits by their numbers.
@Suite struct CommitHubTests {
  private let hub = CommitHub()

  private func commit(_ number: UInt64, _ key: Int64, _ kind: ChangeSet.Kind = .insertion) {
    let change = ChangeSet.RecordChange(
      key: RecordKey(.integer(key)), kind: kind, properties: .all)
    hub.beginCommit()
    hub.endCommit(
      number, ChangeSet(models: ["Egg": .records([change])]), noted: ["Egg"], skipping: [])
  }

  /// The keys that an observer hears of; `nil` when it has to look at everything.
  private func keys(_ id: CommitHub.ID, through number: UInt64) -> [RecordKey]? {
    switch hub.news(for: id, through: number, until: .now) {
    case .nothing: return []
    case .unknown: return nil
    case .changes(let changes):
      return changes.flatMap { (set, _) -> [RecordKey] in
        guard case .records(let records)? = set.models["Egg"] else { return [] }
        return records.map(\.key)
      }
    }
  }

  @Test func `commits come in their order, and a missing one is noticed`() {
    let (id, _) = hub.add(["Egg"])
    #expect(keys(id, through: 10) == nil)
    commit(12, 2)
    commit(11, 1)
    #expect(keys(id, through: 12) == [1, 2] && keys(id, through: 12) == [])
    commit(14, 4)
    #expect(keys(id, through: 14) == nil && keys(id, through: 14) == [])
    commit(15, 5)
    #expect(keys(id, through: 15) == [5])
  }

  @Test func `a part of joined commits is no news to follow`() {
    let (id, _) = hub.add(["Egg"])
    let (slow, _) = hub.add(["Egg"])
    #expect(keys(id, through: 10) == nil && keys(slow, through: 10) == nil)
    commit(11, 1)
    commit(12, 1, .deletion)
    for number in 13...200 { commit(UInt64(number), Int64(number)) }
    // 11 and 12 are parts of one now, in which the record is not.
    #expect(keys(id, through: 11) == nil)
    #expect(keys(id, through: 200) == nil)
    commit(201, 201)
    #expect(keys(id, through: 201) == [201])
    #expect(keys(slow, through: 201) == (13...201).map { RecordKey(.integer(Int64($0))) })
  }
}
