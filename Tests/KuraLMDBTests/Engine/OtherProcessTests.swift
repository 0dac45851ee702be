import Foundation
import KuraCore
import Synchronization
import Testing

@testable import KuraLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if os(Linux) || os(macOS)
  /// A file that several processes have open, under one name or several, alive and killed.
  @Suite struct `LMDB stores of several processes` {
    private let workshop: LMDBWorkshop

    init() throws { workshop = try LMDBWorkshop() }

    private static func dog(_ number: Int64) -> [StoredValue] {
      [.integer(number), "Rex", 1, .null, .null]
    }

    @Test func `a symbolic link leads to the same lock file`() async throws {
      let engine = try workshop.make(Dogs.model)
      let link = workshop.folder + "/soft.db"
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: workshop.path)
      await #expect(processExitsWith: .success) { [link = link as String] in
        let engine = try LMDBBackend().open(.file(link), EngineOptions())
        try engine.write { try $0.put(Dogs.layout, `LMDB stores of several processes`.dog(1)) }
        try engine.close()
      }
      try engine.write { try $0.put(Dogs.layout, Self.dog(2)) }
      #expect(try engine.read { try $0.count(Dogs.layout) } == 2)
      #expect(try workshop.names == ["soft.db", "store.db", "store.db-lock"])
    }

    @Test func `another name of an open file is refused, as it has another lock file`() async throws
    {
      let engine = try workshop.make(Dogs.model)
      let link = workshop.folder + "/hard.db"
      try FileManager.default.linkItem(atPath: workshop.path, toPath: link)
      await #expect(processExitsWith: .success) { [link = link as String] in
        #expect(code { _ = try LMDBBackend().open(.file(link), EngineOptions()) } == .locked)
        // Looking needs no lock file.
        let reader = try LMDBBackend().open(.file(link), EngineOptions(access: .readOnly))
        #expect(try reader.read { try $0.count(Dogs.layout) } == 0)
      }
      #expect(try workshop.names == ["hard.db", "store.db", "store.db-lock"])
      try engine.close()
      let other = try workshop.open(at: link)
      try other.write { try $0.put(Dogs.layout, Self.dog(1)) }
    }

    @Test func `a lock file that was removed is not made anew while others use the old one`()
      async throws
    {
      let engine = try workshop.make(Dogs.model)
      try FileManager.default.removeItem(atPath: workshop.path + "-lock")
      await #expect(processExitsWith: .success) { [path = workshop.path as String] in
        #expect(code { _ = try LMDBBackend().open(.file(path), EngineOptions()) } == .locked)
      }
      try engine.write { try $0.put(Dogs.layout, Self.dog(1)) }
      try engine.close()
      #expect(try workshop.names == ["store.db"])
      let again = try workshop.open()
      #expect(try again.read { try $0.count(Dogs.layout) } == 1)
      #expect(try workshop.names == ["store.db", "store.db-lock"])
    }

    #if os(Linux)
      @Test func `programs that are started meanwhile do not keep the file open`() throws {
        let engine = try workshop.make(Dogs.model)
        // The shell says what it has open, and was given everything that was not to be closed.
        let child = Process()
        let output = Pipe()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "ls -l /proc/$$/fd"]
        child.standardOutput = output
        try child.run()
        let text = String(
          decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        #expect(text.contains(" 1 -> "))
        #expect(!text.contains(workshop.folder), "\(text)")
        for descriptor in 0..<256 as Range<Int32> {
          let link = "/proc/self/fd/\(descriptor)"
          guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
            path.hasPrefix(workshop.folder)
          else { continue }
          #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "\(path)")
        }
        try engine.close()
      }
    #endif

    /// liblmdb's first opener resets the lock file before it shares it; one that is killed in between
    /// leaves it saying that nothing was ever committed.
    @Test(.timeLimit(.minutes(2)))
    func `who comes while another opens waits, and finds the last commit when that one is killed`()
      async throws
    {
      let engine = try workshop.make(Dogs.model)
      for number in 1...9 as ClosedRange<Int64> {
        try engine.write { try $0.put(Dogs.layout, Self.dog(number)) }
      }
      try engine.close()
      let before = try PageSnapshot(workshop.path).meta.transaction
      let lockFile = open(workshop.path + "-lock", O_RDWR)
      let dataFile = open(workshop.path, O_RDONLY)
      // Closing it drops the lock, as being killed does.
      defer { close(dataFile) }
      var own = flock()
      own.l_type = Int16(F_WRLCK)
      own.l_len = 1
      try #require(fcntl(lockFile, F_SETLK, &own) == 0)
      // The number of the last commit, on 64-bit Linux (`mdb.c`, MDB_txbody).
      var none: UInt64 = 0
      #if os(Linux)
        #expect(pwrite(lockFile, &none, 8, 48) == 8)
      #endif
      let path = workshop.path
      let hasEnded = Atomic(false)
      let other = Task {
        defer { hasEnded.store(true, ordering: .relaxed) }
        _ = await #expect(processExitsWith: .success) { [path = path as String] in
          let engine = try LMDBBackend().open(.file(path), EngineOptions())
          try engine.write { try $0.put(Dogs.layout, `LMDB stores of several processes`.dog(10)) }
          #expect(try engine.read { try $0.count(Dogs.layout) } == 10)
          try engine.close()
        }
      }
      // Until the other one has its lock on the byte that openers lock, and waits for this one.
      var isWaiting = false
      while !isWaiting, !hasEnded.load(ordering: .relaxed) {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_start = (1 << 62) - 1
        lock.l_len = 1
        try #require(fcntl(dataFile, LockFileAgreement.getLock, &lock) == 0)
        isWaiting = lock.l_type != Int16(F_UNLCK)
        await Task.yield()
      }
      #expect(isWaiting)
      close(lockFile)
      await other.value
      #expect(try PageSnapshot(workshop.path).meta.transaction == before + 1)
      #expect(try workshop.findings(workshop.open()) == [])
    }

    @Test func `slots of killed readers are given to others`() async throws {
      let engine = try workshop.make(Dogs.model, options: EngineOptions(maximumReaders: 2_000))
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = workshop.path as String] in
        let engine = try LMDBBackend().open(.file(path), EngineOptions(maximumReaders: 2_000))
        let readers = try (0..<1_000).map { _ in try engine.beginRead() }
        withExtendedLifetime(readers) { _ = kill(getpid(), SIGKILL) }
      }
      var readers = try (0..<1_000).map { _ in try engine.beginRead() }
      // liblmdb counts this process's slots as well: 1024 are all.
      let error = #expect(throws: StoreError.self) {
        while readers.count < 1_100 { readers.append(try engine.beginRead()) }
      }
      #expect(error?.code == .limitReached)
      try engine.write { try $0.put(Dogs.layout, Self.dog(1)) }
      readers.removeLast().end()
      #expect(try engine.read { try $0.count(Dogs.layout) } == 1)
      readers.forEach { $0.end() }
    }

    @Test func `a map that another process enlarged is taken over`() async throws {
      let engine = try workshop.make(
        Dogs.model, options: EngineOptions(busyTimeout: .milliseconds(20)),
        backend: LMDBBackend(firstMapSize: 1 << 20))
      let reader = try engine.beginRead()
      await #expect(processExitsWith: .success) { [path = workshop.path as String] in
        let engine = try LMDBBackend().open(.file(path), EngineOptions())
        let name = StoredValue.text(String(repeating: "x", count: 100_000))
        try engine.write { transaction in
          for number in 1...50 {
            try transaction.put(Dogs.layout, [.integer(Int64(number)), name, 1, .null, .null])
          }
        }
      }
      // The map cannot change under the feet of a reader.
      #expect(code { _ = try engine.beginRead() } == .locked)
      #expect(code { _ = try engine.beginWrite(timeout: .milliseconds(20)) } == .locked)
      #expect(try reader.count(Dogs.layout) == 0)
      reader.end()
      #expect(try engine.read { try $0.count(Dogs.layout) } == 50)
      try engine.write { try $0.put(Dogs.layout, Self.dog(51)) }
      #expect(try engine.read { try $0.count(Dogs.layout) } == 51)
    }

    @Test func `a forked process is refused, and its end costs the first one nothing`() async throws
    {
      try workshop.make(Dogs.model).close()
      await #expect(processExitsWith: .success) { [path = workshop.path as String] in
        let engine = try LMDBBackend().open(.file(path), EngineOptions())
        try engine.write { try $0.put(Dogs.layout, `LMDB stores of several processes`.dog(1)) }
        let reader = try engine.beginRead()
        // Swift hides `fork`, and has no way to hide it from others.
        let symbol = try #require(dlsym(nil, "fork"))
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        let child = fork()
        if child == 0 {
          var mistakes: Int32 = 0
          if code({ _ = try engine.beginRead() }) != .usedAfterFork { mistakes |= 1 }
          if code({ _ = try engine.beginWrite(timeout: nil) }) != .usedAfterFork { mistakes |= 2 }
          if code({ _ = try engine.commitMarker() }) != .usedAfterFork { mistakes |= 4 }
          if code({ _ = try LMDBBackend().open(.file(path), EngineOptions()) }) != .usedAfterFork {
            mistakes |= 8
          }
          reader.end()
          try? engine.close()
          _exit(mistakes)
        }
        try #require(child > 0)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        #expect(status == 0, "bits of what went wrong, times 256")
        // Writers of this process recycle pages; the reader's slot, were it lost, would not hold them.
        for round in 1...30 {
          try engine.write { transaction in
            for number in 1...50 as ClosedRange<Int64> {
              try transaction.put(
                Dogs.layout, [.integer(number), .text("\(round)"), 1, .null, .null], .upsert)
            }
          }
        }
        #expect(
          try reader.rows(BoundQuery(layout: Dogs.layout))
            == [`LMDB stores of several processes`.dog(1)])
        reader.end()
        #expect(try engine.check(.deep, progress: nil).findings.isEmpty)
        #expect(FileLocks.on(path + "-lock").contains { $0.process == getpid() })
      }
    }
  }
#endif
