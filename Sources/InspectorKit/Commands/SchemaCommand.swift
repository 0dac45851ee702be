import Kura
import KuraCore

/// `schema`: what a file declares.
enum SchemaCommand {
  static func run(_ context: CommandContext) throws(StoreError) -> ExitCode {
    let transaction = try context.read()
    defer { transaction.end() }
    let names = context.arguments.positional.dropFirst()
    let schema =
      names.isEmpty
      ? try transaction.storedSchema() : try transaction.storedSchema(detailing: Set(names))
    let lookup = ModelLookup(schema: schema, path: context.path)
    var models: [StoredModel] = []
    for name in names { models.append(try lookup.model(name)) }
    if names.isEmpty {
      models = context.arguments.has("shadow") ? schema.models : lookup.visible
    }
    var form = context.arguments.value("as")
    if form == nil, let format = context.arguments.value("format") {
      form = format == "json" || format == "ndjson" ? "json" : format == "sql" ? "sql" : nil
    }
    switch form {
    case "sql": try sql(models, names.isEmpty ? schema.otherObjects : [], context.bytes)
    case "json": try SchemaJSON.write(models, schema, to: context.bytes)
    case "snapshot":
      let snapshot = try SchemaSource.schema(of: context.open(), context.path)
      try context.bytes.append(snapshot.canonicalJSON + "\n")
    case "mermaid": try MermaidDiagram.write(models, to: context.bytes)
    default: try list(models, schema, isDetailed: !names.isEmpty, context)
    }
    try context.bytes.flush()
    return .done
  }

  private static func sql(
    _ models: [StoredModel], _ others: [StoredObject], _ bytes: ByteWriter
  ) throws(StoreError) {
    for model in models {
      if let problem = model.problem { try bytes.append("-- \(model.name): broken: \(problem)\n") }
      // Tables of the engine are made by the engine.
      guard let text = model.sql, !model.name.lowercased().hasPrefix("sqlite_") else { continue }
      try bytes.append(text + ";\n")
      for index in model.indexes.reversed() {
        if let text = index.sql { try bytes.append(text + ";\n") }
      }
      for trigger in model.triggers {
        if let text = trigger.sql { try bytes.append(text + ";\n") }
      }
    }
    for object in others {
      if let text = object.sql { try bytes.append(text + ";\n") }
    }
  }

  private static func list(
    _ models: [StoredModel], _ schema: StoredSchema, isDetailed: Bool, _ context: CommandContext
  ) throws(StoreError) {
    func line(_ text: String) throws(StoreError) {
      let shown = context.terminal.isOutputTerminal ? TerminalText.escaped(text) : text
      try context.bytes.append(shown.replacing("\n", with: "\\n") + "\n")
    }
    for model in models {
      try line("\(model.name)  \(model.kind.rawValue)\(details(model))")
      if isDetailed { for column in model.columns { try line("  " + text(column, model)) } }
      for index in model.indexes.reversed() where index.origin == .statement {
        try line("\(isDetailed ? "  " : "")\(index.name)  index  (\(text(index)) on \(model.name))")
      }
      if isDetailed {
        for key in model.foreignKeys {
          try line(
            "  \(key.columns.joined(separator: ", "))  foreign key  (to \(key.target), on delete "
              + "\(key.onDelete.lowercased()))")
        }
      }
      for trigger in model.triggers {
        try line("\(isDetailed ? "  " : "")\(trigger.name)  trigger  (on \(model.name))")
      }
    }
    if !isDetailed {
      for object in schema.otherObjects where object.kind != "index" || object.sql != nil {
        try line("\(object.name)  \(object.kind)  (on \(object.owner))")
      }
    }
  }

  private static func details(_ model: StoredModel) -> String {
    if let problem = model.problem { return "  (broken: \(problem))" }
    var notes: [String] = []
    if let module = model.module {
      notes.append(model.kind == .shadow ? "of \(module)" : module)
    }
    if model.isStrict { notes.append("strict") }
    if model.isWithoutRowID { notes.append("without rowid") }
    return notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))"
  }

  private static func text(_ column: StoredColumn, _ model: StoredModel) -> String {
    var notes: [String] = []
    if model.primaryKey.contains(column.name) { notes.append("primary key") }
    if !column.isOptional { notes.append("not null") }
    if let value = column.defaultSQL { notes.append("default \(value)") }
    if let generation = column.generation { notes.append("generated \(generation.rawValue)") }
    if let collation = column.collation { notes.append("collate \(collation)") }
    if column.isHidden { notes.append("hidden") }
    return "\(column.name)  \(column.declaredType.isEmpty ? "-" : column.declaredType)"
      + (notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")
  }

  private static func text(_ index: StoredIndex) -> String {
    let terms = index.terms.map { term in
      (term.column ?? "expression") + (term.isDescending ? " desc" : "")
        + (term.collation.map { " collate \($0)" } ?? "")
    }
    return (index.isUnique ? "unique, " : "") + (index.isPartial ? "partial, " : "")
      + terms.joined(separator: ", ")
  }
}
