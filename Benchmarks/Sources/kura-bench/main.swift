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
  let folder = arguments.folder + "/kura-bench-\(getpid())"
  guard mkdir(folder, 0o700) == 0 else { throw BenchmarkError("cannot make \(folder)") }
  let file = folder + "/people.sqlite"
  defer { removeFolder(folder) }

  guard plain_insert(file, arguments.rows) > 0 else { throw BenchmarkError("cannot fill \(file)") }
  var results: [Measurement] = []
  if let inspect = arguments.inspect {
    let dumps = DumpWorkloads(
      arguments: arguments, program: CommandLine.arguments[0], inspect: inspect, file: file)
    results.append(try dumps.measureStart())
    results += try dumps.measure()
  }
  results = try KuraWorkloads(arguments: arguments, folder: folder).measure() + results

  let report = Report(arguments: arguments, measurements: results)
  print(report.table)
  if let target = arguments.markdown, plain_write(target, report.markdown) != 0 {
    throw BenchmarkError("cannot write \(target)")
  }
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
