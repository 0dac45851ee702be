import Foundation
import Kura

/// One result of a game.
@Model struct CoopResult {
  @PrimaryKey var id = ObjectID()
  var goldenEggs: Int?
  var powerEggs: Int?
  @Indexed var playedAt: Date
}
