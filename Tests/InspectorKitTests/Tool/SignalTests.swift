import Testing

@testable import InspectorKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the tool ends when it is asked to, or when nobody listens any more.
@Suite("Signals")
struct SignalTests {
  private static let endless =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"

  @Test(
    "a closed pipe ends the tool quietly with 141",
    arguments: ["csv", "ndjson", "json", "table", "sql"])
  func closedPipe(_ format: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { for file in [input, error] { close(file) } }
    let ends = try OpenFiles.pipe()
    let tool = try Child.start(
      ToolRun.executablePath, ["query", path, SignalTests.endless, "--format", format],
      files: [input, ends.write, error])
    close(ends.write)
    var byte: UInt8 = 0
    #expect(read(ends.read, &byte, 1) == 1)
    close(ends.read)
    #expect(tool.wait() == 141)
    #expect(ToolRun.content(of: error).isEmpty)
  }

  @Test("Control-C ends a running query with 130", arguments: [SIGINT, SIGTERM])
  func interrupt(_ signal: Int32) throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let before = try folder.state()
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { for file in [input, error] { close(file) } }
    let ends = try OpenFiles.pipe()
    let tool = try Child.start(
      ToolRun.executablePath, ["query", path, SignalTests.endless, "--format", "csv"],
      files: [input, ends.write, error])
    close(ends.write)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    #expect(read(ends.read, &block, 1) == 1)
    kill(tool.process, signal)
    // What was in the pipe is read to its end, as a program behind the pipe would.
    while read(ends.read, &block, block.count) > 0 {}
    close(ends.read)
    #expect(tool.wait() == 130)
    #expect(String(decoding: ToolRun.content(of: error), as: UTF8.self).contains("error: "))
    #expect(try folder.state() == before)
  }

  @Test("Control-C while the output is blocked ends the tool as well")
  func interruptBlocked() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { for file in [input, error] { close(file) } }
    let ends = try OpenFiles.pipe()
    let tool = try Child.start(
      ToolRun.executablePath, ["query", path, SignalTests.endless, "--format", "csv"],
      files: [input, ends.write, error])
    close(ends.write)
    var byte: UInt8 = 0
    #expect(read(ends.read, &byte, 1) == 1)
    // Nobody reads any more, but the pipe stays open: the tool blocks in a write.
    kill(tool.process, SIGINT)
    #expect(tool.wait() == 130)
    close(ends.read)
  }

  @Test("a query with a time limit ends with 4")
  func timeout() throws {
    let folder = try TemporaryFolder()
    let path = try folder.add("one.sqlite")
    let run = try ToolRun.inspect(
      "query", path,
      "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
      "--timeout", "200ms")
    #expect(run.exitCode == 4)
    #expect(run.output.isEmpty)
  }

  @Test("the copy of standard input is removed, also after Control-C")
  func standardInput() throws {
    let folder = try TemporaryFolder()
    let variables = ["TMPDIR": folder.path]
    let one = try Fixture.bytes("one.sqlite")
    let run = try ToolRun.inspect(
      "query", "-", "select x from t", "--format", "csv", input: one, environment: variables)
    #expect(run.text == "x\n1\n")
    #expect(folder.names.isEmpty)

    // While a query runs.
    let ends = try OpenFiles.pipe()
    let (input, error) = (try ToolRun.scratch(), try ToolRun.scratch())
    defer { for file in [input, error] { close(file) } }
    #expect(write(input, one, one.count) == one.count)
    lseek(input, 0, SEEK_SET)
    let tool = try Child.start(
      ToolRun.executablePath, ["query", "-", SignalTests.endless],
      files: [input, ends.write, error],
      environment: variables)
    close(ends.write)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    #expect(read(ends.read, &block, 1) == 1)
    #expect(!folder.names.isEmpty)
    kill(tool.process, SIGINT)
    while read(ends.read, &block, block.count) > 0 {}
    close(ends.read)
    #expect(tool.wait() == 130)
    #expect(folder.names.isEmpty)

    // While standard input is still being read.
    let source = try OpenFiles.pipe()
    let early = try Child.start(
      ToolRun.executablePath, ["info", "-"], files: [source.read, error, error],
      environment: variables)
    close(source.read)
    #expect(write(source.write, one, 100) == 100)
    while folder.names.isEmpty { sched_yield() }
    kill(early.process, SIGINT)
    #expect(early.wait() == 130)
    #expect(folder.names.isEmpty)
    close(source.write)
  }
}
