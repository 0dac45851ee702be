#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A terminal of a given size whose other end the test reads.
struct PseudoTerminal {
  let own: Int32
  let child: Int32

  init(columns: UInt16 = 80, rows: UInt16 = 24) throws {
    #if canImport(Darwin)
      own = posix_openpt(O_RDWR | O_NOCTTY)
      guard own >= 0, grantpt(own) == 0, unlockpt(own) == 0, let name = ptsname(own) else {
        throw Failure(call: "posix_openpt", number: errno)
      }
    #else
      // What `posix_openpt` and `ptsname` of the C library do; Swift does not see them. The
      // requests are TIOCSPTLCK and TIOCGPTN of `asm-generic/ioctls.h`.
      own = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var locked: Int32 = 0
      var number: UInt32 = 0
      guard own >= 0, ioctl(own, 0x4004_5431, &locked) == 0, ioctl(own, 0x8004_5430, &number) == 0
      else { throw Failure(call: "open /dev/ptmx", number: errno) }
      let name = "/dev/pts/\(number)"
    #endif
    child = open(name, O_RDWR | O_NOCTTY)
    guard child >= 0 else { throw Failure(call: "open terminal", number: errno) }
    _ = fcntl(own, F_SETFD, FD_CLOEXEC)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(own, UInt(TIOCSWINSZ), &size)
    // Line feeds arrive as they were written.
    var settings = termios()
    tcgetattr(child, &settings)
    settings.c_oflag &= ~tcflag_t(OPOST)
    tcsetattr(child, TCSANOW, &settings)
  }

  /// Runs the tool with its standard output, and standard error if asked, on the terminal.
  ///
  /// - Parameter output: Where standard output goes instead.
  func inspect(
    _ arguments: [String], output: Int32? = nil, errorToo: Bool = false,
    environment: [String: String] = [:]
  ) throws -> (exitCode: Int32, text: String) {
    let input = try ToolRun.scratch()
    let error = try ToolRun.scratch()
    let tool = try Child.start(
      ToolRun.executablePath, arguments, files: [input, output ?? child, errorToo ? child : error],
      environment: ["PAGER": "", "TERM": "xterm", "NO_COLOR": "", "COLUMNS": ""].merging(
        environment
      ) { _, given in given })
    close(child)
    close(input)
    close(error)
    // When the last process has closed its end, reading fails with EIO (Linux) or ends.
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(own, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += block.prefix(count)
    }
    let exitCode = tool.wait()
    close(own)
    return (exitCode, String(decoding: bytes, as: UTF8.self))
  }
}
