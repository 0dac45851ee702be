import KuraCore

/// What a walk over a damaged file had to leave out.
package struct SalvageLosses: Sendable, Hashable {
  /// Pages, with everything below them, that could not be read.
  package internal(set) var pages: Int64 = 0
  /// Entries of pages that could be read, whose node, value or duplicates could not.
  package internal(set) var entries: Int64 = 0
  /// Faults in pages that could be read nevertheless.
  package internal(set) var faults: Int64 = 0
  /// The first faults, in words.
  package internal(set) var messages: [String] = []

  /// Whether nothing was left out and no fault was seen.
  package var isEmpty: Bool { pages == 0 && entries == 0 && faults == 0 }

  static let maximumMessages = 100

  mutating func note(_ error: StoreError) {
    guard messages.count < SalvageLosses.maximumMessages, messages.last != error.message else {
      return
    }
    messages.append(error.message)
  }
}
