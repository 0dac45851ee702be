package import KuraCore

extension SQLiteEngine {
  package func check(_ depth: CheckDepth, progress: ProgressHandler?) throws(StoreError)
    -> CheckReport
  { CheckReport() }
}
