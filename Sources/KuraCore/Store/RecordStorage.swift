/// The values of one record behind one reference: a record read from a store costs one allocation.
///
/// An `Array` would cost the look-up of its generic storage type for each record, which was a fifth
/// of the time of reading.
@usableFromInline
final class RecordStorage: ManagedBuffer<RecordStorage.Header, StoredValue> {
  /// What the values belong to, and how many there are.
  @usableFromInline
  struct Header {
    /// Kept by hand: the storage takes one reference when it is made and gives it back at its end,
    /// where the compiler would count up and down several times for each record.
    let layout: Unmanaged<ModelLayout>
    @usableFromInline let count: Int

    @inline(__always)
    init(retaining layout: ModelLayout, count: Int) {
      self.layout = Unmanaged.passRetained(layout)
      self.count = count
    }
  }

  deinit {
    withUnsafeMutablePointers { header, values in
      values.deinitialize(count: header.pointee.count)
      header.pointee.layout.release()
    }
  }

  /// Makes storage whose values a body initialises, all of them.
  @inline(__always)
  static func make(
    _ layout: ModelLayout, count: Int,
    _ initialize: (UnsafeMutablePointer<StoredValue>) -> Void
  ) -> ManagedBuffer<Header, StoredValue> {
    let storage = RecordStorage.create(minimumCapacity: count) { _ in
      Header(retaining: layout, count: count)
    }
    storage.withUnsafeMutablePointerToElements(initialize)
    return storage
  }
}
