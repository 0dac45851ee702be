import KuraCore
import KuraLMDB

/// The commands that work in a way of their own on LMDB files that other programs made.
enum LMDBCommands {
  /// What runs a command.
  typealias Run = (ForeignEngine, CommandContext) throws(StoreError) -> ExitCode

  /// The commands by name.
  static var all: [String: Run] {
    [
      "schema": LMDBSchemaCommand.run, "dump": LMDBDumpCommand.run, "get": LMDBGetCommand.run,
      "query": LMDBQueryCommand.run,
    ]
  }
}
