import Kura
import KuraCore
import KuraLMDB

/// `version`: the versions of the tool and its libraries.
enum VersionCommand {
  static func run(_ arguments: ParsedArguments, _ output: Output) throws(StoreError) -> ExitCode {
    let bytes = ByteWriter(capacity: 1024) { part throws(StoreError) in try output.write(part) }
    if arguments.has("json") {
      var object = JSONObject(bytes)
      try object.text("storeInspect", InspectorVersion.number)
      try object.text("sqlite", SQLiteBackend.libraryVersion)
      try object.text("lmdb", LMDBVersion.number)
      try object.end()
      try bytes.append(UInt8(ascii: "\n"))
    } else {
      try bytes.append(
        "store-inspect \(InspectorVersion.number) (SQLite \(SQLiteBackend.libraryVersion), "
          + "LMDB \(LMDBVersion.number))\n")
    }
    try bytes.flush()
    return .done
  }
}
