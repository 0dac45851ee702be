import Kura
import KuraCore

/// The JSON form of what a file declares.
enum SchemaJSON {
  static func write(_ models: [StoredModel], _ schema: StoredSchema, to bytes: ByteWriter)
    throws(StoreError)
  {
    try bytes.append("{\"version\":")
    try bytes.append(Int64(schema.version))
    if let kura = schema.kuraSchema {
      try bytes.append(",\"kura\":")
      try bytes.append(kura.canonicalJSON)
    }
    try bytes.append(",\"models\":[")
    for (index, model) in models.enumerated() {
      try bytes.append(index > 0 ? ",\n" : "\n")
      try write(model, bytes)
    }
    try bytes.append("],\"other\":[")
    try objects(schema.otherObjects, bytes)
    try bytes.append("]}\n")
  }

  private static func write(_ model: StoredModel, _ bytes: ByteWriter) throws(StoreError) {
    var object = JSONObject(bytes)
    try object.text("name", model.name)
    try object.text("kind", model.kind.rawValue)
    if let module = model.module { try object.text("module", module) }
    try object.flag("strict", model.isStrict)
    try object.flag("withoutRowid", model.isWithoutRowID)
    try object.texts("primaryKey", model.primaryKey)
    if let problem = model.problem { try object.text("problem", problem) }
    if let sql = model.sql { try object.text("sql", sql) }
    try object.list("columns", model.columns) { column, bytes throws(StoreError) in
      var object = JSONObject(bytes)
      try object.text("name", column.name)
      try object.text("type", column.declaredType)
      try object.flag("optional", column.isOptional)
      if let value = column.defaultSQL { try object.text("default", value) }
      if let generation = column.generation { try object.text("generated", generation.rawValue) }
      if let collation = column.collation { try object.text("collation", collation) }
      if column.isHidden { try object.flag("hidden", true) }
      try object.end()
    }
    try object.list("indexes", model.indexes) { index, bytes throws(StoreError) in
      var object = JSONObject(bytes)
      try object.text("name", index.name)
      try object.flag("unique", index.isUnique)
      try object.flag("partial", index.isPartial)
      try object.text("origin", index.origin.rawValue)
      if let sql = index.sql { try object.text("sql", sql) }
      try object.list("terms", index.terms) { term, bytes throws(StoreError) in
        var object = JSONObject(bytes)
        if let column = term.column { try object.text("column", column) }
        try object.flag("descending", term.isDescending)
        if let collation = term.collation { try object.text("collation", collation) }
        try object.end()
      }
      try object.end()
    }
    try object.list("foreignKeys", model.foreignKeys) { key, bytes throws(StoreError) in
      var object = JSONObject(bytes)
      try object.texts("columns", key.columns)
      try object.text("target", key.target)
      try object.texts("targetColumns", key.targetColumns.map { $0 ?? "" })
      try object.text("onDelete", key.onDelete)
      try object.text("onUpdate", key.onUpdate)
      try object.end()
    }
    try object.list("triggers", model.triggers) { trigger, bytes throws(StoreError) in
      try write(trigger, bytes)
    }
    try object.end()
  }

  private static func objects(_ objects: [StoredObject], _ bytes: ByteWriter) throws(StoreError) {
    for (index, object) in objects.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try write(object, bytes)
    }
  }

  private static func write(_ stored: StoredObject, _ bytes: ByteWriter) throws(StoreError) {
    var object = JSONObject(bytes)
    try object.text("kind", stored.kind)
    try object.text("name", stored.name)
    try object.text("on", stored.owner)
    if let sql = stored.sql { try object.text("sql", sql) }
    try object.end()
  }
}

/// Writes the members of one JSON object.
struct JSONObject {
  private let bytes: ByteWriter
  private var isEmpty = true

  init(_ bytes: ByteWriter) { self.bytes = bytes }

  private mutating func key(_ name: String) throws(StoreError) {
    try bytes.append(isEmpty ? "{" : ",")
    isEmpty = false
    try bytes.appendJSON(name)
    try bytes.append(UInt8(ascii: ":"))
  }

  mutating func text(_ name: String, _ value: String) throws(StoreError) {
    try key(name)
    try bytes.appendJSON(value)
  }

  mutating func flag(_ name: String, _ value: Bool) throws(StoreError) {
    try key(name)
    try bytes.append(value ? "true" : "false")
  }

  mutating func integer(_ name: String, _ value: Int64) throws(StoreError) {
    try key(name)
    try bytes.append(value)
  }

  mutating func double(_ name: String, _ value: Double) throws(StoreError) {
    try key(name)
    try bytes.append(value)
  }

  /// A member whose value a body writes.
  mutating func member(_ name: String, _ body: (ByteWriter) throws(StoreError) -> Void)
    throws(StoreError)
  {
    try key(name)
    try body(bytes)
  }

  mutating func texts(_ name: String, _ values: [String]) throws(StoreError) {
    try list(name, values) { value, bytes throws(StoreError) in try bytes.appendJSON(value) }
  }

  mutating func list<T>(
    _ name: String, _ values: [T], _ body: (T, ByteWriter) throws(StoreError) -> Void
  ) throws(StoreError) {
    try key(name)
    try bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try body(value, bytes)
    }
    try bytes.append(UInt8(ascii: "]"))
  }

  mutating func end() throws(StoreError) { try bytes.append(isEmpty ? "{}" : "}") }
}
