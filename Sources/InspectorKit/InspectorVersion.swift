/// The version of the tool.
enum InspectorVersion {
  /// Semantic version.
  static let number = "0.1.0"
}
