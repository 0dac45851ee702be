import CSQLite
package import KuraCore

extension SQLiteEngine {
  /// What the file is; what cannot be read is left out and said in the warnings.
  package func report() throws(StoreError) -> FileReport {
    var builder = ReportBuilder()
    let path = location.path
    let source = pool.source as? ReadOnlySource
    var facts = source?.facts
    // Of a file that this process has open, the header is not read again: closing would drop locks.
    if facts == nil, let path { facts = try SQLiteFileFacts(path) }
    if let facts { builder.addFile(facts) }
    do {
      let transaction = try beginSQLRead()
      defer { transaction.end() }
      builder.addContent(transaction, facts)
    } catch {
      guard error.code.kind == .damaged, facts != nil else { throw error }
      builder.report.warnings.append(error.message)
    }
    if let facts { builder.addSurroundings(facts, source) }
    builder.addLibrary()
    for notice in notices where !builder.report.warnings.contains(notice) {
      builder.report.warnings.append(notice)
    }
    return builder.report
  }
}

extension SQLiteBackend {
  /// What can be said of a file that cannot be opened as a database, from its bytes alone.
  package func report(onDamagedFileAt path: String) throws(StoreError) -> FileReport {
    let facts = try SQLiteFileFacts(path)
    var builder = ReportBuilder()
    builder.addFile(facts)
    builder.addHeader(facts)
    builder.addSurroundings(facts, nil)
    builder.addLibrary()
    return builder.report
  }
}
