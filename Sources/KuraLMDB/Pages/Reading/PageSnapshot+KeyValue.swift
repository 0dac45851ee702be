import KuraCore

// What stands in a Kura file is read from pages by the code that reads it from liblmdb.
extension PageCursor: KeyValueCursor {}

extension PageSnapshot: KeyValueSnapshot {}
