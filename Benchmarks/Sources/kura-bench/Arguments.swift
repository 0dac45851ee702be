/// What the command line asks for.
struct Arguments {
  var rows: Int64 = 1_000_000
  var pointReads: Int64 = 200_000
  var rounds = 9
  var spawns = 50
  var inspect: String?
  var markdown: String?
  var date = ""
  var folder = "/tmp"
  /// The parts to measure, as the usage names them; empty means all.
  var sections: Set<String> = []
  /// The child's job: a dump by the C loop, run as a process like the tool it is compared with.
  var plainDump: (path: String, output: String, format: Int32)?
  /// The child's job: one migration, so that its memory is a process's own.
  var migration: (side: String, format: String, path: String)?
  var commandLine = ""

  static let usage = """
    usage: kura-bench [--rows N] [--rounds N] [--inspect PROGRAM] [--markdown FILE] [--folder FOLDER]
                      [--only inspector|sqlite|lmdb|typed-sqlite|typed-lmdb|backends|schema|migrations|observation] ...
                      [--workload WORDS]

    """

  init(_ words: [String]) throws(BenchmarkError) {
    commandLine = words.dropFirst().joined(separator: " ")
    var rest = words.dropFirst()
    func next() throws(BenchmarkError) -> String {
      guard let word = rest.popFirst() else { throw BenchmarkError("a value is missing") }
      return word
    }
    func number() throws(BenchmarkError) -> Int64 {
      guard let value = Int64(try next()), value > 0 else {
        throw BenchmarkError("not a positive number")
      }
      return value
    }
    while let word = rest.popFirst() {
      switch word {
      case "--rows": rows = try number()
      case "--point-reads": pointReads = try number()
      case "--rounds": rounds = Int(try number())
      case "--spawns": spawns = Int(try number())
      case "--inspect": inspect = try next()
      case "--markdown": markdown = try next()
      case "--date": date = try next()
      case "--folder": folder = try next()
      case "--workload": measuredWorkload = try next()
      case "--only": sections.insert(try next())
      case "--plain-dump":
        let path = try next()
        let output = try next()
        plainDump = (path, output, Int32(try number()) - 1)
      case "--migrate": migration = (try next(), try next(), try next())
      default: throw BenchmarkError("unknown argument \(word)\n\(Arguments.usage)")
      }
    }
  }
}

/// Why a measurement is worth nothing.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
