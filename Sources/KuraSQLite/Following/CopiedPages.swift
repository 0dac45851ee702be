import KuraCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The pages of a private copy, as the file was and as it is.
///
/// The copy says of itself that it is in WAL mode, so that SQLite reads the newer state through a
/// ``PageLog`` and the older one without.
final class CopiedPages {
  let path: String
  let pageSize: Int
  private(set) var pageCount: UInt32
  private let file: FileDescriptor

  /// Makes an empty copy.
  init(_ path: String, pageSize: Int) throws(StoreError) {
    self.path = path
    self.pageSize = pageSize
    pageCount = 0
    file = try FileDescriptor(making: path)
  }

  deinit { unsafe unlink(FileName.bytes(of: path)) }

  /// The bytes of a page as the copy has it; fewer behind its end.
  func page(_ number: UInt32) throws(StoreError) -> [UInt8] {
    guard number >= 1, number <= pageCount else { return [] }
    return try file.bytes(at: offset(number), count: pageSize)
  }

  /// Reads consecutive pages.
  func read(into bytes: inout [UInt8], from number: UInt32, count: Int) throws(StoreError) -> Int {
    try file.read(into: &bytes, count: count * pageSize, at: offset(number))
  }

  /// Writes consecutive pages.
  func write(_ bytes: ArraySlice<UInt8>, from number: UInt32) throws(StoreError) {
    try file.write(bytes, at: offset(number))
  }

  /// Sets the number of pages.
  func resize(to pageCount: UInt32) throws(StoreError) {
    self.pageCount = pageCount
    try file.resize(to: Int64(pageCount) * Int64(pageSize))
  }

  /// Takes the pages of a log over.
  func apply(_ log: PageLog, pageCount: UInt32) throws(StoreError) {
    for number in log.offsets.keys.sorted() where number <= pageCount {
      guard let bytes = try log.page(number) else { continue }
      try write(bytes[...], from: number)
    }
    try resize(to: pageCount)
  }

  private func offset(_ number: UInt32) -> Int64 {
    Int64(max(1, number) - 1) * Int64(pageSize)
  }

  /// Makes page 1 say that the database is in WAL mode.
  static func normalise(_ first: inout [UInt8]) {
    guard first.count > 20 else { return }
    first[18] = 2
    first[19] = 2
  }
}

/// One of the two states of a private copy, page by page.
struct PageState {
  let pages: CopiedPages
  /// The changed pages; `nil` in the older state.
  let log: PageLog?
  let pageCount: UInt32

  var pageSize: Int { pages.pageSize }

  /// The bytes of a page.
  ///
  /// - Throws: ``StoreError/Code/damaged`` outside the database.
  func page(_ number: UInt32) throws(StoreError) -> [UInt8] {
    guard number >= 1, number <= pageCount else {
      throw StoreError(.damaged, "something points at page \(number) of \(pageCount)")
    }
    if let log, let bytes = try log.page(number) { return bytes }
    let bytes = try pages.page(number)
    guard bytes.count == pageSize else {
      throw StoreError(.damaged, "page \(number) is not there")
    }
    return bytes
  }
}
