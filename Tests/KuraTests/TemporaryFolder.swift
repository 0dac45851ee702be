import Foundation

/// A folder that exists as long as this object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("kura-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// Names, sizes, times and bytes of all files, to compare before and after.
  func snapshot() throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: path).sorted().map { name in
      let attributes = try manager.attributesOfItem(atPath: file(name))
      let date = attributes[.modificationDate] as? Date
      let bytes = manager.contents(atPath: file(name)) ?? Data()
      return "\(name) \(date?.timeIntervalSinceReferenceDate ?? 0) \(bytes.base64EncodedString())"
    }
  }
}
