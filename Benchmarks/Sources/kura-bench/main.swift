import Kura
import PlainC

// The order matters: the resident memory of a child contains what its parent had when it started,
// so the processes come before the workloads that fill this one.

func benchmark() throws {
  let arguments = try Arguments(CommandLine.arguments)
  if let job = arguments.plainDump {
    guard plain_dump(job.path, job.output, job.format) > 0 else {
      throw BenchmarkError("the C dump failed")
    }
    return
  }
  if let job = arguments.migration {
    return try MigrationWorkloads.runChild(job.side, job.format, job.path)
  }
  let folder = arguments.folder + "/kura-bench-\(getpid())"
  guard mkdir(folder, 0o700) == 0 else { throw BenchmarkError("cannot make \(folder)") }
  let file = folder + "/people.sqlite"
  defer { removeFolder(folder) }

  guard plain_insert(file, arguments.rows) > 0 else { throw BenchmarkError("cannot fill \(file)") }
  var sections: [Section] = []
  func measure(
    _ name: String, _ title: String, _ sides: (String, String), _ body: () throws -> [Measurement]
  ) throws {
    guard arguments.sections.isEmpty || arguments.sections.contains(name) else { return }
    plain_say("\(title)\n")
    sections.append(Section(title: title, sides: sides, measurements: try body()))
  }
  if let inspect = arguments.inspect {
    let dumps = DumpWorkloads(
      arguments: arguments, program: CommandLine.arguments[0], inspect: inspect, file: file)
    try measure("inspector", "The inspector on SQLite files", ("plain C", "store-inspect")) {
      [try dumps.measureStart()] + (try dumps.measure())
    }
  }
  let sqlite = StoreWorkloads(arguments, SQLiteBackend(), folder: folder)
  let lmdb = StoreWorkloads(arguments, LMDBBackend(), folder: folder)
  try measure("migrations", "Migrations, SQLite", ("bare SQL", "Kura")) {
    try MigrationWorkloads(kura: sqlite, folder: folder).measure()
  }
  try measure("migrations", "Migrations, LMDB", ("bare C", "Kura")) {
    try MigrationWorkloads(kura: lmdb, folder: folder).measure()
  }
  try measure("sqlite", "SQLite", ("plain C", "Kura")) {
    try SQLiteWorkloads(kura: sqlite, folder: folder, plainFile: file).measure()
  }
  try measure("lmdb", "LMDB", ("plain C", "Kura")) {
    try LMDBWorkloads(kura: lmdb, folder: folder).measure()
  }
  let typedSQLite = TypedWorkloads(
    kura: sqlite, folder: folder,
    targets: .init(fetch: 1.3, insert: 1.25, points: 1.15, index: 1.25, numbers: 1.25))
  try measure("typed-sqlite", "Types with `@Model`, SQLite", ("plain C", "Kura")) {
    try typedSQLite.measureSQLite()
  }
  let typedLMDB = TypedWorkloads(
    kura: lmdb, folder: folder,
    targets: .init(fetch: 2, insert: 1.2, points: 1.1, index: 1.4, numbers: 1.25))
  try measure("typed-lmdb", "Types with `@Model`, LMDB", ("plain C", "Kura")) {
    try typedLMDB.measureLMDB()
  }
  let both = BackendWorkloads(sqlite: sqlite, lmdb: lmdb, folder: folder)
  try measure("backends", "Kura's backends", ("SQLite", "LMDB")) {
    _ = (try sqlite.insert(), try lmdb.insert())
    return try both.measure()
  }
  try measure(
    "schema", "Changes of a model on LMDB, each with its commit", ("1000 records", "all records")
  ) {
    _ = try lmdb.insert()
    return try both.measureSchemaChanges()
  }

  for workloads in [sqlite, lmdb] {
    let observation = ObservationWorkloads(kura: workloads, folder: folder)
    let name = workloads.name == "sqlite" ? "SQLite" : "LMDB"
    try measure(
      "observation", "Observing one changed record, \(name)", ("1000 records", "all records")
    ) {
      try observation.measure()
    }
    try measure(
      "observation", "What observing costs the writer, \(name)", ("not observed", "observed")
    ) {
      try observation.measureWriter()
    }
  }

  let report = Report(arguments: arguments, sections: sections)
  print(report.tables)
  if let target = arguments.markdown, plain_write(target, report.markdown) != 0 {
    throw BenchmarkError("cannot write \(target)")
  }
}

/// Removes a store's file with those that either backend puts beside it.
func removeStore(_ path: String) {
  for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { remove(path + suffix) }
}

func removeFolder(_ folder: String) {
  guard let handle = opendir(folder) else { return }
  while let entry = readdir(handle) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != ".", name != ".." { remove(folder + "/" + name) }
  }
  closedir(handle)
  rmdir(folder)
}

do {
  try benchmark()
} catch {
  plain_say("kura-bench: \(error)\n")
  exit(1)
}
