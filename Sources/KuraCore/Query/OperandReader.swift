/// The sides of comparisons that are computed or folded, for one row after the other.
///
/// Memory is only taken for decimals and for patterns that a column has.
final class OperandReader {
  /// Where a side comes from.
  enum Operand {
    case column(Int)
    case constant(Int)
    case computed(Computation)
  }

  /// What arithmetic begins with.
  enum Leaf {
    case column(Int)
    case constant(Int)
  }

  /// Arithmetic with the room that it needs.
  final class Computation {
    fileprivate let steps: UnsafeMutableBufferPointer<UInt8>
    fileprivate let leaves: UnsafeMutableBufferPointer<Leaf>
    fileprivate let stack: UnsafeMutableBufferPointer<ArithmeticNumber>
    /// Owns the text of a decimal.
    fileprivate let result = RowBuffer(columns: 1)

    init(_ steps: [UInt8], _ leaves: [Leaf]) {
      self.steps = .allocate(capacity: steps.count)
      _ = self.steps.initialize(from: steps)
      self.leaves = .allocate(capacity: leaves.count)
      _ = self.leaves.initialize(from: leaves)
      stack = .allocate(capacity: leaves.count)
      stack.initialize(repeating: .none)
    }

    deinit {
      steps.deallocate()
      leaves.deallocate()
      stack.deallocate()
    }
  }

  /// The folders of both sides of a comparison.
  private struct Folders {
    var folding: TextComparison
    var first: TextFolder
    var second: TextFolder
  }

  private let operands: UnsafeMutableBufferPointer<Operand>
  private let folders: UnsafeMutableBufferPointer<Folders>
  private let patterns: UnsafeMutableBufferPointer<TextPattern?>
  /// Owns folded patterns.
  private let pattern = RowBuffer(columns: 1)

  init(_ operands: [Operand], _ foldings: [TextComparison], _ patterns: [TextPattern?]) {
    self.operands = .allocate(capacity: operands.count)
    _ = self.operands.initialize(from: operands)
    folders = .allocate(capacity: foldings.count)
    _ = folders.initialize(
      from: foldings.map { folding in
        Folders(folding: folding, first: TextFolder(folding), second: TextFolder(folding))
      })
    self.patterns = .allocate(capacity: patterns.count)
    _ = self.patterns.initialize(from: patterns)
  }

  deinit {
    operands.deinitialize()
    operands.deallocate()
    folders.deinitialize()
    folders.deallocate()
    patterns.deinitialize()
    patterns.deallocate()
  }

  /// The value of an operand; borrowed until the next call for the same side.
  func slot(
    _ index: Int, _ row: RowBuffer, _ constants: UnsafeMutablePointer<ColumnSlot>, folder: Int,
    isSecond: Bool = false, isPattern: Bool = false
  ) -> ColumnSlot {
    let slot: ColumnSlot
    switch operands[index] {
    case .constant(let constant): return constants[constant]
    case .column(let column): slot = row[column]
    case .computed(let computation): return compute(computation, row, constants)
    }
    guard folder >= 0, slot.kind == .text || slot.kind == .malformedText else { return slot }
    if isPattern { return foldPattern(slot, folders[folder].folding) }
    let bytes =
      isSecond ? folders[folder].second.fold(slot.bytes) : folders[folder].first.fold(slot.bytes)
    return ColumnSlot(slot.kind, borrowing: bytes)
  }

  /// Whether an operand's text fits a pattern.
  func matches(
    _ index: Int, _ row: RowBuffer, _ constants: UnsafeMutablePointer<ColumnSlot>, _ pattern: Int
  ) -> Bool {
    let slot = slot(index, row, constants, folder: -1)
    guard slot.kind == .text || slot.kind == .malformedText else { return false }
    return patterns[pattern]?.matches(slot.bytes) ?? false
  }

  private func foldPattern(_ slot: ColumnSlot, _ folding: TextComparison) -> ColumnSlot {
    pattern.reset()
    pattern.setValue(slot.value.folded(folding, isPattern: true), at: 0)
    return pattern[0]
  }

  private func compute(
    _ computation: Computation, _ row: RowBuffer, _ constants: UnsafeMutablePointer<ColumnSlot>
  ) -> ColumnSlot {
    let number = ArithmeticNumber.run(
      UnsafeBufferPointer(computation.steps), on: computation.stack
    ) { position, _ in
      switch computation.leaves[position] {
      case .column(let column): row[column].arithmeticNumber
      case .constant(let constant): constants[constant].arithmeticNumber
      }
    }
    switch number {
    case .none: return ColumnSlot(.null)
    case .integer(let value): return ColumnSlot(.integer, UInt64(bitPattern: value))
    case .double(let value): return ColumnSlot(.double, value.bitPattern)
    case .decimal(let value):
      computation.result.reset()
      computation.result.setValue(.decimal(value), at: 0)
      return computation.result[0]
    }
  }
}
