import Kura

/// No value is altered on the way through.
enum ValueRules {
  static let all: [ConformanceRule] =
    ValueType.allCases.map { type in
      ConformanceRule("every \(type) value comes back as it was") { try roundTrip(type, $0) }
    } + [
      ConformanceRule("text and data of a megabyte come back as they were", large),
      ConformanceRule("long values leave those beside them as they were", neighbours),
      ConformanceRule("null, empty text and empty data are three values", empties),
      ConformanceRule("values that cannot be stored are refused", refusals),
      ConformanceRule("default values fill what a record does not give", defaults),
    ]

  static func model(_ type: ValueType) -> ModelDescription {
    ModelDescription(
      "Sample", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("value", type, isOptional: true),
      ])
  }

  private static func roundTrip(_ type: ValueType, _ bench: ConformanceBench) throws {
    let layout = ModelLayout(model(type))
    let values = [.null] + SampleValues.many(type, seed: 7)
    let engine = try bench.make(model(type))
    try bench.write(engine) { transaction in
      for (index, value) in values.enumerated() {
        try transaction.put(layout, [.integer(Int64(index)), value])
      }
      try compare(transaction, values, layout)
    }
    try bench.read(engine) { try compare($0, values, layout) }
    guard bench.place == .files else { return }
    try engine.close()
    try bench.read(try bench.open()) { try compare($0, values, layout) }
  }

  private static func compare(
    _ transaction: any EngineReadTransaction, _ values: [StoredValue], _ layout: ModelLayout
  ) throws {
    let rows = try transaction.rows(
      BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)]))
    try expectEqual(rows.count, values.count, "the number of records")
    for (row, value) in zip(rows, values) {
      try expect(
        SampleValues.isIdentical(row[1], value), "in a walk \(row[1]) came back for \(value)")
    }
    for (index, value) in values.enumerated() {
      let row = try transaction.row(RecordKey(.integer(Int64(index))), layout)
      try expect(
        row.map { SampleValues.isIdentical($0[1], value) } ?? false,
        "by key \(row?[1] ?? .null) came back for \(value)")
    }
  }

  private static func large(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Large", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("text", .text),
        PropertyDescription("data", .data),
      ])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    let text = String(repeating: "蔵a\0", count: 210_000)
    let data = (0..<1_048_577).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try bench.write(engine) { try $0.put(layout, [1, .text(text), .data(data)]) }
    let row = try bench.read(engine) { try $0.row(1, layout) }
    try expect(row == [1, .text(text), .data(data)], "a megabyte came back changed")
  }

  /// Lengths around those at which formats change their form, between values of fixed size, and each
  /// choice of columns: what is not read must not move what is.
  private static func neighbours(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Long", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("before", .integer),
        PropertyDescription("text", .text, isOptional: true), PropertyDescription("after", .double),
        PropertyDescription("data", .data, isOptional: true), PropertyDescription("last", .bool),
      ])
    let layout = ModelLayout(model)
    var rows: [[StoredValue]] = []
    for length in [0, 127, 128, 250, 251, 252, 253, 255, 256, 511, 512, 65_535, 65_536] {
      let text = StoredValue.text(String(repeating: "t", count: length))
      let data = StoredValue.data([UInt8](repeating: 0xFC, count: length))
      for (one, two) in [(text, data), (text, .null), (.null, data)] {
        let number = Int64(rows.count)
        rows.append(
          [.integer(number), .integer(number * 1000), one, .double(0.5), two, .bool(true)])
      }
    }
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      for row in rows { try transaction.put(layout, row) }
    }
    try bench.read(engine) { transaction in
      for choice in 1..<64 {
        let columns = (0..<6).filter { choice >> $0 & 1 == 1 }
        let found = try transaction.rows(
          BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)], columns: columns))
        let expected = rows.map { row in columns.map { row[$0] } }
        try expect(found == expected, "values of the columns \(columns) came back changed")
      }
    }
  }

  private static func empties(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Empty", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer), PropertyDescription("text", .text, isOptional: true),
        PropertyDescription("data", .data, isOptional: true),
      ])
    let layout = ModelLayout(model)
    let engine = try bench.make(model)
    try bench.write(engine) { transaction in
      try transaction.put(layout, [1, "", .data([])])
      try transaction.put(layout, [2, .null, .null])
    }
    let rows = try bench.read(engine) {
      try $0.rows(BoundQuery(layout: layout, order: [BoundSortTerm(column: 0)]))
    }
    try expect(rows == [[1, "", .data([])], [2, .null, .null]], "found \(rows)")
  }

  private static func refusals(_ bench: ConformanceBench) throws {
    let double = model(.double)
    let layout = ModelLayout(double)
    let engine = try bench.make(double)
    let text = ModelLayout(model(.text))
    try bench.write(engine) { transaction in
      try expectError(.notStorable, of: "writing not-a-number") {
        try transaction.put(layout, [1, .double(.nan)])
      }
      try expectError(.wrongType, .notStorable, of: "writing text for a double") {
        try transaction.put(layout, [1, "1.5"])
      }
      try expectError(.wrongType, of: "writing a double for an integer key") {
        try transaction.put(layout, [.double(1), .double(1)])
      }
      try expectError(.wrongType, .notStorable, of: "writing malformed text") {
        try transaction.put(text, [1, .malformedText([0xFF])])
      }
      try expectEqual(
        try transaction.count(BoundQuery(layout: layout)), 0, "records after refusals")
    }
  }

  private static func defaults(_ bench: ConformanceBench) throws {
    let model = ModelDescription(
      "Defaulted", primaryKey: ["id"],
      properties: [
        PropertyDescription("id", .integer),
        PropertyDescription("text", .text, defaultValue: "it's \"so\"\0"),
        PropertyDescription("number", .integer, defaultValue: .integer(.min)),
        PropertyDescription("double", .double, defaultValue: .double(-.infinity)),
        PropertyDescription("flag", .bool, defaultValue: true),
      ])
    let engine = try bench.make(model)
    let stored = try bench.read(engine) { try $0.storedSchema() }
    try expect(
      stored.kuraSchema?.model(named: "Defaulted") == model,
      "the stored schema is not the one that was set")
  }
}
