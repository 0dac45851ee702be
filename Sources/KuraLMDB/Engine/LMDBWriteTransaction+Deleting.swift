import KuraCore

extension LMDBWriteTransaction {
  /// Deletes the record of the writer's key, and does to those that refer to it what their rules say.
  func deleteCurrent(_ writer: ModelWriter) throws(StoreError) -> Bool {
    guard unsafe try snapshot.value(writer.key.bytes, in: writer.records.database) != nil else {
      return false
    }
    guard try isReferredTo(writer) else {
      try remove(writer)
      return true
    }
    return try atomically { () throws(StoreError) in
      var denials = Denials()
      unsafe try deleteAll([(writer.binding.model.id, Array(writer.key.bytes))], &denials)
      try check(denials)
      return true
    }
  }

  /// The same as a part of a larger deletion, which is undone as a whole after an error and looks at
  /// the denials at its end.
  func deleteCurrent(_ writer: ModelWriter, _ denials: inout Denials) throws(StoreError) -> Bool {
    guard unsafe try snapshot.value(writer.key.bytes, in: writer.records.database) != nil else {
      return false
    }
    guard try isReferredTo(writer) else {
      try remove(writer)
      return true
    }
    unsafe try deleteAll([(writer.binding.model.id, Array(writer.key.bytes))], &denials)
    return true
  }

  private func isReferredTo(_ writer: ModelWriter) throws(StoreError) -> Bool {
    for referrer in writer.referrers {
      if unsafe try isReferred(by: referrer, to: writer.key.bytes, of: writer) { return true }
    }
    return false
  }

  /// The deleted records that nothing may refer to when the deletion is complete.
  ///
  /// What refers to one of them may go by the same deletion, before or after it, as SQLite's
  /// `NO ACTION` has it.
  struct Denials {
    fileprivate var referrals: [Referral] = []
    /// How many there may be before those are looked for to which nothing refers any more.
    fileprivate var limit = 1024
  }

  private func note(_ referral: Referral, _ denials: inout Denials) throws(StoreError) {
    denials.referrals.append(referral)
    guard denials.referrals.count > denials.limit else { return }
    var left: [Referral] = []
    for referral in denials.referrals where try isAlive(referral) { left.append(referral) }
    denials.referrals = left
    denials.limit = max(1024, 2 * left.count)
  }

  /// Throws when something still refers to a deleted record.
  func check(_ denials: Denials) throws(StoreError) {
    for referral in denials.referrals where try isAlive(referral) {
      throw stillReferred(referral.target)
    }
  }

  private func isAlive(_ referral: Referral) throws(StoreError) -> Bool {
    var isAlive = false
    unsafe try forEach(referral) { _ in
      isAlive = true
      return false
    }
    return isAlive
  }

  /// Deletes records with those that refer to them; the ones still to do are kept in a list, because
  /// a chain of records may be longer than the thread's stack is deep.
  private func deleteAll(
    _ records: [(model: UInt32, key: [UInt8])], _ denials: inout Denials
  ) throws(StoreError) {
    var pending = records
    while let next = pending.popLast() {
      if let limits, limits.mustStop() {
        throw limits.stopReason ?? StoreError(.cancelled, "the work was cancelled")
      }
      let writer = try writer(next.model)
      let key = OrderedKey(next.key)
      guard unsafe try snapshot.value(key.bytes, in: writer.records.database) != nil else {
        continue
      }
      for referrer in writer.referrers {
        switch referrer.property.reference?.onDelete {
        case .nullify:
          while let referring = unsafe try firstReferring(referrer, to: key.bytes, of: writer) {
            try nullify(referrer, referring)
          }
        case .cascade:
          // Those that were there first go first, as SQLite does it.
          unsafe pending += try allReferring(referrer, to: key.bytes, of: writer).reversed()
            .map { (referrer.model.id, $0) }
        case .deny, nil:
          guard unsafe try isReferred(by: referrer, to: key.bytes, of: writer),
            let referral = unsafe try referral(referrer, to: key.bytes, of: writer)
          else { continue }
          try note(referral, &denials)
        }
      }
      writer.key.truncate()
      unsafe writer.key.append(key.bytes)
      try remove(writer)
    }
  }

  private func nullify(_ referrer: ModelWriter.Referrer, _ recordKey: OrderedKey)
    throws(StoreError)
  {
    let writer = try writer(referrer.model.id)
    guard let column = writer.binding.column(referrer.property.id),
      writer.binding.takesNull[column]
    else { throw stillReferred(writer) }
    writer.key.truncate()
    unsafe writer.key.append(recordKey.bytes)
    let nothing = RowBuffer(columns: writer.binding.layout.columns.count)
    // An entry of a record that refers to nothing stays, and would be found again for ever.
    guard try updateCurrent(writer, writer.binding, [column], nothing),
      writer.oldRow[column].kind != .null
    else { throw damagedIndex(writer) }
  }
}
