import KuraCore

extension StoreError {
  /// A page contradicts itself or what points at it.
  static func page(_ number: UInt64, _ text: String) -> StoreError {
    StoreError(
      .damaged, "page \(number): \(text)",
      suggestion: "restore a backup, or read what is left in salvage mode")
  }
}
