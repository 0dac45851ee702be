package import KuraCore

/// Which of the states that a file still has is read.
package enum SnapshotChoice: String, Sendable, Hashable, CaseIterable {
  /// The last commit.
  case newest
  /// The commit before it, which is whole as long as no writer began another transaction.
  case previous
}

/// The meta pages of a file.
package struct MetaPages: Sendable {
  /// Page 0, when it is one.
  package let first: MetaPage?
  /// Page 1, when it is one.
  package let second: MetaPage?
  /// What is wrong with them, a sentence each.
  package let problems: [String]

  /// The one meta page of a state that is kept elsewhere.
  init(only meta: MetaPage) {
    first = meta
    second = nil
    problems = []
  }

  /// Reads both, twice when a writer is at work on them.
  ///
  /// - Throws: ``StoreError/Code/empty``, ``StoreError/Code/truncated``,
  ///   ``StoreError/Code/unknownFormat``, ``StoreError/Code/unsupportedFormat`` for LMDB of another
  ///   word size, byte order or version and for libmdbx, ``StoreError/Code/damaged``.
  package init(_ file: PageFile) throws(StoreError) {
    var seen = try MetaPages.find(file)
    // A page that is being written may be read half old and half new.
    var attempts = 0
    while attempts < 8 {
      let again = try MetaPages.find(file)
      if again.0 == seen.0, again.1 == seen.1 { break }
      seen = again
      attempts += 1
    }
    (first, second) = seen
    guard first != nil || second != nil else { throw try MetaPages.refusal(file) }
    var problems: [String] = []
    for (slot, meta) in [first, second].enumerated() {
      guard let meta else {
        problems.append("meta page \(slot) is damaged")
        continue
      }
      problems += meta.problems.map { "meta page \(slot): \($0)" }
    }
    if let first, let second {
      if first.pageSize != second.pageSize {
        problems.append(
          "the meta pages have page sizes of \(first.pageSize) and \(second.pageSize)")
      }
      let older = min(first.transaction, second.transaction)
      let newer = max(first.transaction, second.transaction)
      if newer - older > 1 || newer == older && newer != 0 {
        problems.append(
          "the meta pages are of transactions \(older) and \(newer), which do not follow each other: "
            + "a commit was lost in a crash, or one of them is damaged")
      }
    }
    self.problems = problems
  }

  /// The meta pages in the order of their commits, the newest first.
  package var byAge: [MetaPage] {
    guard let first, let second else { return [first, second].compactMap { $0 } }
    return second.transaction > first.transaction ? [second, first] : [first, second]
  }

  /// The page of a choice.
  ///
  /// - Throws: ``StoreError/Code/damaged`` when there is no previous one.
  package func meta(_ choice: SnapshotChoice) throws(StoreError) -> MetaPage {
    let metas = byAge
    guard let meta = choice == .newest ? metas.first : metas.dropFirst().first else {
      throw StoreError(
        .damaged, "the file has no previous state: one of its meta pages is damaged",
        suggestion: "read the newest state")
    }
    return meta
  }

  private static func find(_ file: PageFile) throws(StoreError) -> (MetaPage?, MetaPage?) {
    let first = try read(file, slot: 0, offset: 0)
    if let first {
      return (first, try read(file, slot: 1, offset: Int64(first.pageSize)))
    }
    // The size of a page is in the damaged one; the usual sizes first.
    for size in [4096, 8192, 16384, 32768, 65536, 2048, 1024, 512, 256] {
      guard let meta = try read(file, slot: 1, offset: Int64(size)), meta.pageSize == size else {
        continue
      }
      return (nil, meta)
    }
    return (nil, nil)
  }

  private static func read(_ file: PageFile, slot: Int, offset: Int64) throws(StoreError)
    -> MetaPage?
  {
    let bytes = try file.bytes(at: offset, count: MetaPage.byteCount)
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe MetaPage(PageBytes(base, count: bytes.count), slot: slot, offset: offset)
    }
  }
}
