/// A pattern as instructions for an automaton that follows all ways at once.
///
/// Such an automaton needs a time that is at most the product of the text's and the pattern's length,
/// whatever the pattern: there is nothing to go back to (Ken Thompson, 1968).
struct PatternProgram {
  enum Instruction {
    case scalar(UInt32)
    /// The number of a set.
    case set(Int)
    case place(PatternNode.Place)
    /// Both ways.
    case split(Int, Int)
    case jump(Int)
    /// The text fits when it ends here.
    case match
  }

  /// The most instructions, so that a text of a megabyte takes seconds at worst.
  static let maximumCount = 2_000

  private(set) var instructions: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  /// The parts that were looked at; repetitions of nothing make no instructions.
  private var effort = 0

  /// - Throws: ``TooLarge`` when repetitions make the pattern too large.
  init(_ node: PatternNode) throws(TooLarge) {
    try add(node)
    instructions.append(.match)
  }

  struct TooLarge: Error {}

  private mutating func add(_ node: PatternNode) throws(TooLarge) {
    effort += 1
    guard instructions.count < PatternProgram.maximumCount, effort < 50_000 else {
      throw TooLarge()
    }
    switch node {
    case .empty: break
    case .scalar(let scalar): instructions.append(.scalar(scalar))
    case .set(var set):
      set.complete()
      sets.append(set)
      instructions.append(.set(sets.count - 1))
    case .place(let place): instructions.append(.place(place))
    case .sequence(let nodes):
      for node in nodes { try add(node) }
    case .alternatives(let nodes): try addAlternatives(nodes)
    case .repetition(let node, let least, let most):
      for _ in 0..<least { try add(node) }
      if let most {
        try addOptional(node, most - least)
      } else {
        let split = instructions.count
        instructions.append(.jump(0))
        try add(node)
        instructions.append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
      }
    }
  }

  private mutating func addAlternatives(_ nodes: [PatternNode]) throws(TooLarge) {
    var jumps: [Int] = []
    for (position, node) in nodes.enumerated() {
      guard position < nodes.count - 1 else {
        try add(node)
        break
      }
      let split = instructions.count
      instructions.append(.jump(0))
      try add(node)
      jumps.append(instructions.count)
      instructions.append(.jump(0))
      instructions[split] = .split(split + 1, instructions.count)
    }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  /// A part that may be there up to so many times, each only after the one before.
  private mutating func addOptional(_ node: PatternNode, _ count: Int) throws(TooLarge) {
    var splits: [Int] = []
    for _ in 0..<max(0, count) {
      splits.append(instructions.count)
      instructions.append(.jump(0))
      try add(node)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }
}
