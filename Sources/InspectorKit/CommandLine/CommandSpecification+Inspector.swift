extension CommandSpecification {
  /// The command line of `store-inspect`.
  static let inspector = CommandSpecification(
    name: "store-inspect",
    summary: "Looks into database files: shows, exports, queries and checks them, untouched.",
    commands: [
      info, schema, stats, dump, get, query, observe, check, diff, load, migrate, completions,
      version,
      completeModels,
    ],
    globalOptions: [
      Option(
        name: "type", value: "TYPE", choices: ["auto", "sqlite", "lmdb"],
        summary: "the file's format (default: by content)"),
      Option(
        name: "format", short: "f", value: "FORMAT",
        choices: OutputFormat.allCases.map(\.rawValue) + ["mdb"]
          + OutputFormat.aliases.keys.sorted(),
        summary: "table list line json ndjson csv tsv markdown html sql mdb count none"),
      Option(name: "output", short: "o", value: "FILE", summary: "write to a file (- is stdout)"),
      Option(
        name: "color", hiddenNames: ["colour"], value: "WHEN",
        choices: ["auto", "always", "never"], summary: "when to use colours"),
      Option(name: "no-pager", summary: "do not page output on a terminal"),
      Option(name: "quiet", short: "q", summary: "no notes on standard error"),
      Option(name: "verbose", summary: "say how the file is opened"),
      Option(
        name: "wait", value: "DURATION",
        summary: "how long to wait for locks, such as 10s (default: not at all)"),
      Option(
        name: "trust",
        summary: "the file is yours: its views may use functions unsafe from strangers"),
      Option(name: "write", summary: "allow changes to the file"),
      Option(name: "yes", summary: "allow replacing an output file"),
      Option(
        name: "limit", value: "N",
        summary: "the most records (default: none, 500 in a terminal's table)"),
    ])

  private static let path = Argument(
    name: "PATH", summary: "a database file, or - for standard input")

  private static let blobs = Option(
    name: "blobs", value: "FORM", choices: ["hex", "base64", "skip"],
    summary: "how bytes are written")
  private static let integers = Option(
    name: "json-integers", hiddenNames: ["json-ints"], value: "FORM",
    choices: ["number", "string"], summary: "how integers are written in JSON")
  private static let condition = Option(
    name: "where", hiddenNames: ["pred"], value: "CONDITION",
    summary: "only records that fulfil a condition of the query language")

  private static let databases = [
    Option(
      name: "db", value: "NAME",
      summary:
        "LMDB: only this database (@main for the main one's own values, hex:… for odd names)",
      isRepeated: true),
    Option(
      name: "key-as", value: "CODEC", summary: "LMDB: how keys are read, such as u64be or hex"),
    Option(
      name: "value-as", value: "CODEC",
      summary: "LMDB: how values are read, such as json, msgpack or zlib+json"),
  ]
  private static let ranges = [
    Option(name: "from", value: "KEY", summary: "LMDB: the least key"),
    Option(name: "to", value: "KEY", summary: "LMDB: the first key too great"),
    Option(name: "prefix", value: "KEY", summary: "LMDB: what keys begin with"),
    Option(name: "after", value: "KEY", summary: "LMDB: begin after this key, for paging"),
    Option(name: "reverse", summary: "LMDB: from the greatest key to the least"),
  ]

  private static let info = Command(
    name: "info", summary: "what a file is: format, version, maker, sizes, side files, users",
    arguments: [path], examples: ["store-inspect info app.db", "store-inspect info app.db -f json"])

  private static let schema = Command(
    name: "schema", summary: "tables, views, indexes and triggers",
    arguments: [
      path,
      Argument(name: "NAME", summary: "only these objects", isOptional: true, isRepeated: true),
    ],
    options: [
      Option(
        name: "as", value: "FORM", choices: ["list", "sql", "json", "mermaid", "snapshot"],
        summary:
          "list (default), SQL, JSON, a Mermaid diagram, or a snapshot of Kura's schema for migrate"
      ),
      Option(name: "shadow", summary: "include tables of virtual tables and of the engine"),
    ],
    examples: ["store-inspect schema app.db", "store-inspect schema app.db users --as sql"])

  private static let dump = Command(
    name: "dump", summary: "writes content: as SQL that rebuilds the file, or records",
    arguments: [
      path,
      Argument(name: "NAME", summary: "only these tables", isOptional: true, isRepeated: true),
    ],
    options: [
      condition,
      Option(name: "columns", value: "A,B", summary: "only these columns"),
      Option(
        name: "order", value: "ORDER", choices: ["key", "none"],
        summary: "by key (default) or as stored"),
      Option(name: "schema-only", summary: "declarations without records (SQL)"),
      Option(name: "data-only", summary: "records without declarations (SQL)"),
      blobs, integers,
    ] + databases + ranges,
    examples: [
      "store-inspect dump app.db | sqlite3 copy.db",
      "store-inspect dump app.db users -f csv -o users.csv",
      "store-inspect dump env/ --db items --prefix user: --limit 10",
      "store-inspect dump env/ --format mdb | mdb_load -n copy.mdb",
    ],
    discussion:
      "SQL is the default. Records of one table are rows; records of several tables carry their "
      + "table's name: {\"model\":\"users\",\"record\":{…}}. Of LMDB files NDJSON is the default: "
      + "{\"db\":\"items\",\"key\":…,\"value\":…}; mdb is the text form of mdb_dump. Keys are "
      + "typed as [codec:]text, such as user:1, hex:00ff or u64be:7. Codecs: " + CodecForm.help
      + ".")

  private static let get = Command(
    name: "get", summary: "one record by its key",
    arguments: [
      path,
      Argument(
        name: "KEY", summary: "the key, one word for each key column", isOptional: true,
        isRepeated: true),
    ],
    options: [
      Option(
        name: "model", value: "NAME", summary: "the table (may be left out when there is one)"),
      Option(name: "columns", value: "A,B", summary: "only these columns"),
      Option(name: "raw", summary: "the bytes of the only column, nothing else"),
      blobs, integers,
    ] + databases + ranges,
    examples: [
      "store-inspect get app.db 42 --model users",
      "store-inspect get env/ u64be:7 --db items --value-as json",
    ],
    discussion:
      "Of LMDB files the key's values are written, one a line, and instead of a key there may be a "
      + "range.")

  private static let query = Command(
    name: "query", summary: "records that a query selects, in Kura's language or in SQL",
    arguments: [path, Argument(name: "TEXT", summary: "the query")],
    options: [
      Option(name: "sql", summary: "the text is SQL"),
      condition,
      Option(
        name: "parameter", short: "p", value: "NAME=VALUE",
        summary: "the value of :name (text; name:=literal for other types)", isRepeated: true),
      Option(name: "explain", summary: "how the query would be executed"),
      Option(name: "exists", summary: "print nothing; exit 0 if there is a record, else 1"),
      Option(name: "count", summary: "the number of records only"),
      Option(name: "timeout", value: "DURATION", summary: "end after this time with exit code 4"),
      blobs, integers,
    ] + databases,
    examples: [
      "store-inspect query app.db \"users WHERE age >= 18 SORT(name) LIMIT(10)\"",
      "store-inspect query app.db --sql \"select count(*) from users where age >= :a\" -p a:=18",
    ],
    discussion:
      "A text that begins with SELECT, WITH, VALUES, EXPLAIN or PRAGMA is SQL also without --sql. "
      + "Databases of LMDB files have the columns key and value; with --db the text is the condition "
      + "alone.")

  private static let observe = Command(
    name: "observe", summary: "one line for each record that any program changes, as it happens",
    arguments: [
      path,
      Argument(
        name: "NAME", summary: "only these tables or databases", isOptional: true, isRepeated: true),
    ],
    options: [
      Option(name: "initial", summary: "first the records that are there, as initial events"),
      condition,
      Option(
        name: "until", value: "N|DURATION",
        summary: "end after so many events, or after a time such as 30s"),
      Option(
        name: "columns", value: "WHICH", choices: ["changed", "all"],
        summary: "of updates all columns (default of ndjson) or the changed ones (of text)"),
      blobs, integers,
    ] + databases,
    examples: [
      "store-inspect observe app.db",
      "store-inspect observe app.db users --where \"age >= 18\" --until 10 -f ndjson",
    ],
    discussion:
      "Text lines at a terminal (-f line), else NDJSON: {\"event\":\"insert\",\"model\":…,"
      + "\"key\":…,\"old\":…,\"new\":…,\"commit\":…}; the other events are update, delete, "
      + "initial, schema and end. A record counts when it fulfils the condition before or after. "
      + "Control-C ends with exit code 130, --until with 0; a file that is replaced or removed ends "
      + "with 3, one that is damaged with 5, after an end event. Nothing is written beside the file."
  )

  private static let stats = Command(
    name: "stats", summary: "how an LMDB file uses its pages, and sizes of keys and values",
    arguments: [
      path,
      Argument(name: "NAME", summary: "only these databases", isOptional: true, isRepeated: true),
    ],
    options: [databases[0]],
    examples: ["store-inspect stats env/", "store-inspect stats env/ items -f json"],
    discussion:
      "Bars for people at a terminal, one JSON object for programs. SQLite files are not described "
      + "yet.")

  private static let diff = Command(
    name: "diff", summary: "what differs between two LMDB files; exit code 1 when anything does",
    arguments: [
      Argument(name: "A", summary: "the file before"),
      Argument(name: "B", summary: "the file after"),
      Argument(name: "NAME", summary: "only these databases", isOptional: true, isRepeated: true),
    ],
    options: [
      Option(name: "schema", summary: "only databases and flags"),
      Option(name: "data", summary: "only entries"),
      Option(name: "summary", summary: "numbers of changes"),
      Option(
        name: "as", value: "FORM", choices: ["text", "json"],
        summary: "lines for people (default), or one object a line"),
      databases[0],
    ],
    examples: ["store-inspect diff before.mdb after.mdb --summary"],
    discussion: "SQLite files are not compared yet.")

  private static let load = Command(
    name: "load", summary: "makes a new LMDB file of a dump",
    arguments: [
      Argument(name: "PATH", summary: "the file to make, or a folder for its data.mdb"),
      Argument(
        name: "NAME", summary: "the database for entries that name none (with FILE)",
        isOptional: true),
      Argument(
        name: "FILE", summary: "the dump: mdb or ndjson (default: standard input)",
        isOptional: true),
    ],
    options: [
      Option(
        name: "append",
        summary: "keep the order of the input, which a program made with a comparison of its own")
    ] + databases,
    examples: [
      "store-inspect dump env/ | store-inspect load copy.mdb",
      "mdb_dump -a env/ | store-inspect load copy.mdb",
    ],
    discussion:
      "All of the input or nothing is loaded, in one transaction. A mistake in the input ends with "
      + "exit code 2 and the number of its line. A file that exists is replaced with --yes only. "
      + "SQLite files are not loaded yet.")

  private static let check = Command(
    name: "check", summary: "looks for damage; exit code 1 when there is any",
    arguments: [path],
    options: [
      Option(name: "quick", summary: "the structure only"),
      Option(name: "deep", summary: "every value as well"),
    ],
    examples: ["store-inspect check app.db --deep"])

  private static let completions = Command(
    name: "completions", summary: "the completion script of a shell",
    arguments: [Argument(name: "SHELL", summary: "the shell", choices: ["bash", "zsh", "fish"])],
    examples: ["store-inspect completions bash > /etc/bash_completion.d/store-inspect"],
    opensFile: false)

  private static let version = Command(
    name: "version", summary: "the versions of the tool and its libraries",
    options: [Option(name: "json", summary: "as JSON")], opensFile: false)

  private static let completeModels = Command(
    name: "complete-models", summary: "the names in a file, for completion scripts",
    arguments: [path])

  /// The commands that help lists.
  var visibleCommands: [Command] { commands.filter { $0.name != "complete-models" } }
}
