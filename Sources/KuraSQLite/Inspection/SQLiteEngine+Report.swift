package import KuraCore

extension SQLiteEngine {
  package func report() throws(StoreError) -> FileReport { FileReport() }
}
