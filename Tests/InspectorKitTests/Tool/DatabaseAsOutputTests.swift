import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The database as output file")
struct DatabaseAsOutputTests {
  @Test("the database itself is refused as output, under any name and even with --yes")
  func databaseAsOutput() throws {
    let folder = try TemporaryFolder()
    try folder.add("structs.sqlite")
    let (database, other) = (folder.file("structs.sqlite"), folder.file("other"))
    #expect(symlink(database, other) == 0)
    let before = try folder.state()
    for target in [database, other] {
      let run = try ToolRun.inspect("dump", database, "-o", target, "--yes")
      #expect(run.exitCode != 0)
      #expect(run.errorText.contains("the output file belongs to the database that is read"))
    }
    #expect(try folder.state() == before)
  }
}
