import Foundation
import Kura

enum Weapon: String, CaseIterable {
  case roller, charger, shooter
}

struct Place: Codable, Hashable, Sendable {
  var name: String
  var floor: Int
}

@Model struct Player {
  @PrimaryKey var id: Int
  var name: String
}

@Model struct Wave {
  @PrimaryKey var id = ObjectID()
  var eggs: Int
}

@Model struct CoopResult {
  @PrimaryKey var id = ObjectID()
  var goldenEggs: Int?
  var powerEggs: Int?
  @Indexed var playedAt: Date
  @Unique var uploadCode: String?
  var weapon: Weapon
  var tags: [String]
  var place: Place?
  @Relation(onDelete: .nullify) var player: Reference<Player>?
  @Relation(onDelete: .cascade) var waves: ReferenceList<Wave>
  @Renamed(from: "memo") var note: String = ""
  @Transient var isSelected = false
}

@Model(primaryKey: ["team", "number"], unique: [["team", "name"]])
struct Member {
  var team: String
  var number: Int
  var name: String
  var boss: Reference<Player>?
}

/// A property of every type.
@Model("every_type") struct EveryType: Equatable {
  @PrimaryKey var id: UUID
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var float: Float
  var double: Double
  var string: String
  var data: Data
  var bytes: [UInt8]
  var date: Date
  var time: Timestamp
  var uuid: UUID
  var url: URL
  var decimal: Decimal
  var objectID: ObjectID
  var weapon: Weapon
  var place: Place
  var places: [Place]
  var names: Set<String>
  var counts: [String: Int]
  var optionalInt: Int?
  var optionalString: String?
  var optionalDate: Date?
  var optionalWeapon: Weapon?
  var optionalPlace: Place?
  var optionalTags: [String]?
  var optionalData: Data?
  var optionalDecimal: Decimal?
  var optionalURL: URL?
}

enum SampleModels {
  static func schema() throws -> Schema {
    try Schema(
      version: 1, Player.self, Wave.self, CoopResult.self, Member.self, EveryType.self)
  }
}
