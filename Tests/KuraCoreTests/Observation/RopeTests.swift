import KuraTesting
import Testing

@testable import KuraCore

/// A rope is an array whose versions stay.
@Suite struct RopeTests {
  @Test(arguments: 0..<20) func `changes are those of an array, and old versions stay`(seed: UInt64)
  {
    var random = RepeatableGenerator(seed: seed)
    var array = Array(0..<Int.random(in: 0...500, using: &random))
    var rope = Rope(array)
    var versions: [(Rope<Int>, [Int])] = []
    for step in 0..<2_000 {
      let index = Int.random(in: 0...array.count, using: &random)
      switch Int.random(in: 0..<(step < 1_000 ? 3 : 5), using: &random) {
      case 0, 1:
        array.insert(step, at: index)
        rope.insert(step, at: index)
      case 2 where index < array.count:
        array[index] = -step
        rope.replace(at: index, with: -step)
      default:
        if index < array.count { array.remove(at: index) }
        rope.remove(at: index)
      }
      #expect(rope.count == array.count && rope.element(at: array.count) == nil)
      #expect(rope.element(at: index) == (index < array.count ? array[index] : nil))
      if step % 97 == 0 { versions.append((rope, array)) }
    }
    for (rope, array) in versions + [(rope, array)] { #expect(Array(rope) == array) }
  }

  @Test(arguments: [0, 1, 64, 65, 5_000]) func `the boundary is found as in a sorted array`(
    count: Int
  ) {
    let rope = Rope((0..<count).map { $0 * 2 })
    for wanted in [-1, 0, 1, count - 1, count, count * 2 - 2, count * 2] {
      let expected = (0..<count).first { $0 * 2 >= wanted } ?? count
      #expect(rope.firstIndex { $0 < wanted } == expected)
    }
  }
}
