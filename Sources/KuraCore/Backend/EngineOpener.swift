/// Opens a file with the backend that its content asks for.
public enum EngineOpener {
  /// Opens a location.
  ///
  /// - Parameters:
  ///   - location: A file or memory.
  ///   - format: The format of a new, empty or in-memory store, and the only one accepted if given;
  ///     without it the first backend is used where the content does not decide.
  ///   - options: How to open.
  ///   - backends: The backends to choose from.
  /// - Throws: ``StoreError`` of the kinds `cannotOpen`, `damaged`, `busy` and `environment`.
  public static func open(
    _ location: StoreLocation, format: StoreFormat? = nil, options: EngineOptions,
    backends: [any StorageBackend]
  ) throws(StoreError) -> any StorageEngine {
    guard let fallback = backends.first(where: { format == nil || $0.format == format }) else {
      throw StoreError(
        .unsupportedFormat, "there is no backend for the format \(format?.rawValue ?? "?")",
        path: location.path, suggestion: "add the backend to the configuration")
    }
    guard case .file(let path) = location else { return try fallback.open(location, options) }
    switch try FormatRecognition.look(at: path, backends: backends) {
    case .format(let found):
      guard format == nil || format == found,
        let backend = backends.first(where: { $0.format == found })
      else {
        throw StoreError(
          .unknownFormat, "the file is of another format", path: path, found: found.rawValue,
          expected: format?.rawValue, suggestion: "open it as \(found.rawValue)")
      }
      return try backend.open(location, options)
    case .empty: return try fallback.open(location, options)
    case .missing:
      guard case .readWrite(create: true) = options.access else {
        throw FileErrors.missing(path)
      }
      return try fallback.open(location, options)
    }
  }
}
