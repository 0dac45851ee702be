import KuraLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The output of stock `mdb_dump`, and the same text from the page reader.
enum StockDump {
  /// What `mdb_dump -a` of lmdb-utils prints for a file.
  static func run(_ path: String) throws -> [UInt8] {
    try output("mdb_dump -n -a '\(path)' 2>&1")
  }

  /// The standard output of a shell command.
  static func output(_ command: String) throws -> [UInt8] {
    guard let pipe = popen(command, "r") else {
      throw StockEnvironment.Failure(call: "popen", code: errno)
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    pclose(pipe)
    return bytes
  }

  /// The named databases of a snapshot in the form of `mdb_dump -a`, values in hexadecimal.
  static func text(_ snapshot: PageSnapshot) throws -> [UInt8] {
    var text: [UInt8] = []
    for tree in try MainDatabase(snapshot).databases {
      guard let name = tree.name, !name.contains(0) else { continue }
      text += header(snapshot, tree, name)
      let cursor = snapshot.cursor(tree)
      var isThere = try cursor.first()
      while isThere {
        append(cursor.key, &text)
        append(cursor.value, &text)
        isThere = try cursor.next()
      }
      text += "DATA=END\n".utf8
    }
    return text
  }

  private static func header(_ snapshot: PageSnapshot, _ tree: PageTree, _ name: [UInt8]) -> [UInt8]
  {
    var lines = Array("VERSION=3\nformat=bytevalue\ndatabase=".utf8) + name
    lines += "\ntype=btree\nmapsize=\(snapshot.meta.mapSize)\n".utf8
    if snapshot.meta.mapAddress != 0 {
      lines += "mapaddr=0x\(String(snapshot.meta.mapAddress, radix: 16))\n".utf8
    }
    lines += "maxreaders=126\n".utf8
    if tree.record.flags.contains(.dupSort) { lines += "duplicates=1\n".utf8 }
    for flag in tree.record.flags.names { lines += "\(flag)=1\n".utf8 }
    return lines + "db_pagesize=\(snapshot.meta.pageSize)\nHEADER=END\n".utf8
  }

  private static func append(_ bytes: UnsafeRawBufferPointer, _ text: inout [UInt8]) {
    let digits: StaticString = "0123456789abcdef"
    text.append(0x20)
    for byte in bytes {
      text.append(digits.utf8Start[Int(byte >> 4)])
      text.append(digits.utf8Start[Int(byte & 15)])
    }
    text.append(0x0A)
  }
}
