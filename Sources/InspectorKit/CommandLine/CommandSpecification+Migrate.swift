extension CommandSpecification {
  /// `migrate`.
  static let migrate = Command(
    name: "migrate",
    summary: "migrations in a folder of JSON files: where a file stands, plan, run, history",
    arguments: [
      Argument(
        name: "ACTION", summary: MigrateCommand.names.joined(separator: " "),
        choices: MigrateCommand.names),
      Argument(
        name: "PATH", summary: "the store; of new the old schema, in JSON or a store",
        isOptional: true),
      Argument(name: "NEW", summary: "new: the new schema, in JSON or a store", isOptional: true),
    ],
    options: [
      Option(
        name: "with", value: "FOLDER",
        summary: "the folder of the migrations: 0002-split-name.json and so on"),
      Option(
        name: "to", value: "N",
        summary: "the version to stop at (default: the last); of baseline the one the file has"),
      Option(
        name: "check", summary: "status: exit 1 when migrations are pending, 8 when stuck"),
      Option(name: "dry-run", summary: "run: show the plan and change nothing"),
      Option(
        name: "backup", value: "FILE", summary: "run: copy the store to this new file before"),
      Option(name: "no-backup", summary: "run: make no copy before"),
      Option(name: "allow-loss", summary: "run: what the migrations lose may be lost"),
      Option(name: "id", value: "NAME", summary: "new: the migration's identity"),
      Option(
        name: "rename", value: "[MODEL.]OLD=NEW",
        summary: "new: a model or property that has another name now", isRepeated: true),
      Option(
        name: "accept", value: "NAME",
        summary: "baseline: an edited migration counts as the one that was carried out"),
      Option(name: "strict", summary: "lint: exit 1 for warnings as well"),
      Option(name: "quick", summary: "verify: of the content the structure only"),
      Option(name: "deep", summary: "verify: every value as well"),
    ],
    examples: [
      "store-inspect migrate status app.db --with Migrations --check",
      "store-inspect migrate plan app.db --with Migrations",
      "store-inspect migrate run app.db --with Migrations --backup app.before",
      "store-inspect migrate new old.json new.json --rename Book.name=title --id titles",
      "store-inspect migrate lint --with Migrations",
    ],
    discussion:
      "status says where a file stands, plan what would be done, with the SQL, the numbers of records "
      + "and what is lost; run does it in one transaction; rehearse does it on a copy; verify compares a store with the "
      + "migrations it went through; history lists them. new makes a migration out of two "
      + "schemas, and with --write puts it into the folder; lint looks for what is wrong or dangerous "
      + "in the folder. SQLite files of other programs are migrated with SQL after baseline --to N "
      + "--write has said which version they have. Only run changes the store, and only when "
      + "every loss is allowed, by \"allowsLoss\": true in the migration's file or --allow-loss. "
      + "Files are named by the version they lead to, and schemas/2.json may hold the schema of "
      + "version 2. docs/migrations.md describes the files.")
}
