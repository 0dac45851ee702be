import KuraTesting
import Testing

@testable import KuraCore

/// Sums of doubles without rounding.
@Suite struct ExactSumTests {
  @Test(arguments: [
    // Values and sums that Python's math.fsum gives (3.11).
    ([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 1.0),
    ([1e100, 1, -1e100], 1.0),
    ([1e16, 1, 1e-16], 1.0000000000000002e16),
    ([9007199254740992, -0.5, -5.551115123125783e-17], 9007199254740991.0),
    ([1e308, 1e-308, -1e308], 1e-308),
    ([], 0.0),
  ])
  func `a sum is the double nearest to the exact one`(values: [Double], expected: Double) {
    var sum = ExactSum()
    for value in values { sum.add(value) }
    #expect(sum.total() == expected)
    for value in values.reversed() { sum.subtract(value) }
    #expect(sum.total() == 0)
  }

  @Test func `what comes and goes leaves nothing`() {
    var random = RepeatableGenerator(seed: 4)
    var (sum, values) = (ExactSum(), [Double]())
    for _ in 0..<5_000 {
      let value =
        Double.random(in: -1...1, using: &random)
        * Double(sign: .plus, exponent: Int.random(in: -300...300, using: &random), significand: 1)
      values.append(value)
      sum.add(value)
    }
    for value in values.shuffled(using: &random) { sum.subtract(value) }
    #expect(sum.total() == 0)
  }

  @Test func `infinities are beyond all sums as long as they are there`() {
    var sum = ExactSum()
    sum.add(1)
    sum.add(.infinity)
    #expect(sum.total() == .infinity)
    sum.add(-.infinity)
    #expect(sum.total().isNaN)
    sum.subtract(.infinity)
    #expect(sum.total() == -.infinity)
    sum.subtract(-.infinity)
    #expect(sum.total() == 1)
  }

  @Test func `integers are added exactly`() {
    var sum = ExactSum()
    sum.add(0.5)
    #expect(sum.total(adding: Int128(1) << 53) == 9_007_199_254_740_992)
    #expect(sum.total(adding: -(Int128(1) << 100)) == -1_267_650_600_228_229_401_496_703_205_376)
    #expect(sum.total(adding: -1) == -0.5)
  }
}
