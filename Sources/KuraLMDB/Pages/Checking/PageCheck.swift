package import KuraCore

/// Looks for damage in an LMDB file, without liblmdb and without changing anything.
///
/// Both meta pages, each page that is reached, the order of keys, long values, the values of single
/// keys, the records' counters and the free list. A file without a finding is one that liblmdb walks,
/// copies and writes without dying; LMDB has no checksums, so a changed byte inside a value that is
/// still in order cannot be found by anybody.
///
/// Work is bounded by the size of the file, memory is a bit for each page.
package struct PageCheck {
  private let snapshot: PageSnapshot
  private let depth: CheckDepth
  private let progress: ProgressHandler?
  private let list = Findings()

  /// Shared with the closures of a survey, which outlive no call of it.
  private final class Findings {
    var list = FindingList()
    var databases: [([UInt8], DatabaseRecord)] = []
    var free: FreeListSurvey?
  }

  /// Prepares a check.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - choice: Which of its states.
  ///   - depth: `quick` leaves out the order of keys; `deep` reads all pages of long values and walks
  ///     the previous state as well.
  ///   - progress: Is told the pages done, and may throw to stop.
  /// - Throws: What is not damage of a part: no meta page can be used, or the file is of another kind.
  package init(
    _ file: PageFile, _ choice: SnapshotChoice = .newest, depth: CheckDepth,
    progress: ProgressHandler? = nil
  ) throws(StoreError) {
    snapshot = try PageSnapshot(file, choice, handling: .salvage)
    self.depth = depth
    self.progress = progress
  }

  /// Checks.
  ///
  /// - Throws: ``StoreError/Code/locked`` when a writer went over the pages meanwhile,
  ///   ``StoreError/Code/cancelled``, errors of the machine.
  package func run() throws(StoreError) -> CheckReport {
    for problem in snapshot.metas.problems { list.list.add(.damage, problem) }
    // Nothing is read by it, but liblmdb cannot open such a file.
    for meta in snapshot.metas.byAge where meta.mapSize > MetaPage.largestMap {
      list.list.add(
        .damage,
        "meta page \(meta.slot): no process can have a map of \(meta.mapSize) bytes")
    }
    let survey = makeSurvey()
    try walk(snapshot.main, nil, survey)
    for (name, record) in list.databases { try walkNamed(name, record, survey) }
    try walkFreeList(survey)
    noteLost(survey)
    list.list.finish()
    if let shortage = try snapshot.shortage() {
      let missing = list.list.missingPages
      list.list.insertFirst(
        .init(
          .damage,
          shortage + (missing > 0 ? "" : "; what is missing is neither in use nor known as free")))
    } else if snapshot.fileSize % Int64(snapshot.meta.pageSize) != 0 {
      list.list.add(.note, "the file's size is not a whole number of pages")
    }
    if depth == .deep { try walkPrevious() }
    return CheckReport(findings: list.list.findings)
  }

  private func makeSurvey() -> TreeSurvey {
    let list = list
    let progress = progress
    let total = snapshot.source.pageLimit
    return unsafe TreeSurvey(
      snapshot.source, checksOrder: depth != .quick, readsLongValues: depth == .deep,
      sink: TreeSurvey.Sink(
        fault: { list.list.add($0) },
        database: { list.databases.append(($0, $1)) },
        progress: { pages throws(StoreError) in try progress?(pages, total) }))
  }

  private func walk(_ tree: PageTree, _ name: String?, _ survey: TreeSurvey) throws(StoreError) {
    list.list.begin(name)
    defer { list.list.finish() }
    judgeOrder(try survey.visit(tree))
  }

  private func walkNamed(_ name: [UInt8], _ record: DatabaseRecord, _ survey: TreeSurvey)
    throws(StoreError)
  {
    let model = String(decoding: name, as: UTF8.self)
    guard record.rawFlags & ~DatabaseFlags.known.rawValue == 0 else {
      list.list.begin(model)
      list.list.add(.damage, "the record has the flags 0x\(String(record.rawFlags, radix: 16))")
      return list.list.finish()
    }
    try walk(PageTree(record, .named, name: name), model, survey)
  }

  /// Keys in the wrong order are damage, unless so many are that an application must have compared
  /// them with a function of its own (`mdb_set_compare`), of which a file says nothing.
  private func judgeOrder(_ tally: TreeTally) {
    guard tally.disorder > 0, let page = tally.disorderedPage else { return }
    let text =
      "page \(page): \(tally.disorder) of \(tally.pairs) neighbouring keys are out of order"
    if tally.pairs >= 16, tally.disorder > tally.pairs / 8 {
      list.list.add(
        .violation, text + "; either they are damaged or the writer orders them in a way of its own"
      )
    } else {
      list.list.add(.damage, text)
    }
  }

  private func walkFreeList(_ survey: TreeSurvey) throws(StoreError) {
    list.free = FreeListSurvey(snapshot.meta)
    let list = list
    // The survey lives as long as this call; a reference back would keep both for ever.
    unsafe survey.sink.freeEntry = { [unowned survey] key, value, page in
      unsafe list.free?.add(
        key, value, on: page, isUsed: { survey.isUsed($0) }, fault: { list.list.add($0) })
    }
    // The page size and flags of the environment share the record with the list.
    var record = snapshot.meta.free
    record.padding = 0
    try walk(PageTree(record, .free), nil, survey)
  }

  /// Pages that are neither reached nor free.
  private func noteLost(_ survey: TreeSurvey) {
    guard !list.list.hasDamage, let free = list.free?.free else { return }
    let known = survey.used.count + free.count
    let pages = snapshot.meta.lastPage - 1
    guard pages > known else { return }
    // LMDB loses no pages in a crash. What is lost may be a database whose entry was damaged, and
    // compacting copies of liblmdb refuse such files.
    list.list.add(
      .violation, "\(pages - known) of \(pages) pages are neither in use nor on the free list")
  }

  /// The state before is whole as long as no writer began to use its pages again: worth knowing only.
  private func walkPrevious() throws(StoreError) {
    guard let meta = snapshot.metas.byAge.dropFirst().first, meta != snapshot.meta else { return }
    let source = PageSource(
      snapshot.file, meta, .salvage, fileSize: snapshot.fileSize,
      valueLimit: snapshot.source.valueLimit)
    let found = Findings()
    let survey = unsafe TreeSurvey(
      source, checksOrder: true, readsLongValues: false,
      sink: TreeSurvey.Sink(
        fault: { found.list.add($0) }, database: { found.databases.append(($0, $1)) }))
    _ = try survey.visit(PageTree(meta.main, .main))
    for (name, record) in found.databases {
      _ = try survey.visit(PageTree(record, .named, name: name))
    }
    if found.list.hasDamage {
      list.list.add(
        .note, "the state before (transaction \(meta.transaction)) is not whole any more")
    }
  }
}
