import Kura

@Model struct Sailor {
  @PrimaryKey var id: Int
  var name: String
  var nickname: String?
  @Indexed var rank: Int?
  var share: Double?
  @Relation(onDelete: .nullify) var mate: Reference<Sailor>?
}

@Model struct Boat {
  @PrimaryKey var id: Int
  @Indexed var title: String?
  var length: Double
  var draft: Int
  @Relation(onDelete: .cascade) var port: Reference<Port>?
  @Relation(onDelete: .nullify) var captain: Reference<Sailor>?
  @Relation(onDelete: .nullify) var crew: ReferenceList<Sailor>
}

@Model struct Port {
  @PrimaryKey var id: String
  var name: String
  var depth: Int?
  @Relation(onDelete: .deny) var master: Reference<Sailor>?
  @Relation(onDelete: .cascade) var boats: ReferenceList<Boat>
}

/// Queries by names as queries of types, piece by piece.
enum Harbour {
  static func schema() throws -> Schema {
    try Schema(version: 1, Sailor.self, Boat.self, Port.self)
  }

  /// A query of types; `nil` when it has no such form.
  static func question(_ query: Query) -> ((ReadTransaction) throws -> [[StoredValue]])? {
    switch query.model {
    case "Sailor":
      question(query, sailors) { sailor in
        [
          .integer(Int64(sailor.id)), .text(sailor.name), text(sailor.nickname),
          integer(sailor.rank), sailor.share.map { .double($0) } ?? .null,
          integer(sailor.mate?.key),
        ]
      }
    case "Boat":
      question(query, boats) { boat in
        [
          .integer(Int64(boat.id)), text(boat.title), .double(boat.length),
          .integer(Int64(boat.draft)), text(boat.port?.key), integer(boat.captain?.key),
        ]
      }
    case "Port":
      question(query, ports) { port in
        [.text(port.id), .text(port.name), integer(port.depth), integer(port.master?.key)]
      }
    default: nil
    }
  }

  private static func text(_ value: String?) -> StoredValue { value.map { .text($0) } ?? .null }
  private static func integer(_ value: Int?) -> StoredValue {
    value.map { .integer(Int64($0)) } ?? .null
  }

  private static func question<Root: Model>(
    _ query: Query, _ form: TypedForm<Root>, _ values: @escaping (Root) -> [StoredValue]
  ) -> ((ReadTransaction) throws -> [[StoredValue]])? {
    guard let condition = form.condition(query.condition) else { return nil }
    return { transaction in
      var rest = query
      rest.condition = .always
      return try transaction.records(try TypedQuery<Root>(rest).where { _ in condition })
        .map(values)
    }
  }

  private static var sailors: TypedForm<Sailor> {
    var form = TypedForm<Sailor>()
    form.add("id") { $0.id }
    form.addText("name") { $0.name }
    form.addText("nickname") { $0.nickname }
    form.add("rank") { $0.rank }
    form.add("share") { $0.share }
    form.addReference("mate") { $0.mate }
    form.addText("mate.name") { $0.mate.name }
    form.add("mate.rank") { $0.mate.rank }
    form.add("mate.mate.share") { $0.mate.mate.share }
    return form
  }

  private static var boats: TypedForm<Boat> {
    var form = TypedForm<Boat>()
    form.add("id") { $0.id }
    form.addText("title") { $0.title }
    form.add("length") { $0.length }
    form.add("draft") { $0.draft }
    form.addReference("port") { $0.port }
    form.addReference("captain") { $0.captain }
    form.addText("port.name") { $0.port.name }
    form.add("port.depth") { $0.port.depth }
    form.addText("captain.nickname") { $0.captain.nickname }
    form.add("captain.rank") { $0.captain.rank }
    form.add("captain.mate.rank") { $0.captain.mate.rank }
    form.addList("crew", { $0.crew }, { sailors.condition($0) })
    return form
  }

  private static var ports: TypedForm<Port> {
    var form = TypedForm<Port>()
    form.addText("id") { $0.id }
    form.addText("name") { $0.name }
    form.add("depth") { $0.depth }
    form.addReference("master") { $0.master }
    form.addText("master.name") { $0.master.name }
    form.add("master.share") { $0.master.share }
    form.addList("boats", { $0.boats }, { boats.condition($0) })
    return form
  }
}
