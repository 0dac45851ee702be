import KuraCore

/// Writes a table for people: widths from the first rows, the rest streams with the same widths.
final class TableWriter: RecordWriter {
  private let bytes: ByteWriter
  private let options: ValueOptions
  private let terminal: Terminal
  private var names: [String] = []
  private var sample: [[Cell]] = []
  private var widths: [Int]?

  private struct Cell {
    var text: String
    var isRight: Bool
    var isNull: Bool
  }

  /// Rows that are looked at before the first is written.
  private static let sampleSize = 500

  init(_ bytes: ByteWriter, _ options: ValueOptions, _ terminal: Terminal) {
    self.bytes = bytes
    self.options = options
    self.terminal = terminal
  }

  func begin(_ columns: [String]) throws(StoreError) {
    names = columns.map(shown)
  }

  func write(_ row: RowBuffer) throws(StoreError) {
    let cells = names.indices.map { cell(row[$0]) }
    if widths != nil { return try line(cells) }
    sample.append(cells)
    if sample.count == TableWriter.sampleSize { try settle() }
  }

  func end() throws(StoreError) {
    if widths == nil { try settle() }
  }

  func abandon() throws(StoreError) { try end() }

  private func cell(_ slot: ColumnSlot) -> Cell {
    guard slot.kind != .null else { return Cell(text: "NULL", isRight: false, isNull: true) }
    let text = slot.kind == .malformedText ? malformed(slot) : PlainText.text(slot, options)
    let isNumber = slot.kind == .integer || slot.kind == .double || slot.kind == .decimal
    return Cell(text: shown(text), isRight: isNumber, isNull: false)
  }

  /// Data is changed for a terminal's sake only, never in a pipe.
  private func shown(_ text: String) -> String {
    terminal.isOutputTerminal ? TerminalText.escaped(text) : text
  }

  /// Malformed text with its foreign bytes as `\xNN`.
  private func malformed(_ slot: ColumnSlot) -> String {
    var text = ""
    var rest = Array(slot.bytes)[...]
    while let byte = rest.first {
      let length = (1...4).first { count in
        rest.count >= count
          && rest.prefix(count).withUnsafeBytes { UTF8Validation.isValid($0) }
      }
      if let length {
        text += String(decoding: rest.prefix(length), as: UTF8.self)
        rest = rest.dropFirst(length)
      } else {
        text += "\\x" + StoredValue.hex([byte])
        rest = rest.dropFirst()
      }
    }
    return text
  }

  private func settle() throws(StoreError) {
    var widths = names.map { TerminalWidth.of($0) }
    for row in sample {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], TerminalWidth.of(cell.text))
      }
    }
    if terminal.isOutputTerminal { shrink(&widths) }
    self.widths = widths
    guard !names.isEmpty else { return }
    try line(names.map { Cell(text: $0, isRight: false, isNull: false) }, isHeader: true)
    try bytes.append(widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─"))
    try bytes.append(UInt8(ascii: "\n"))
    for row in sample { try line(row) }
    sample = []
  }

  /// Makes the widest columns narrower until the line fits the terminal.
  private func shrink(_ widths: inout [Int]) {
    let available = terminal.columns - 3 * max(0, widths.count - 1)
    while widths.reduce(0, +) > available, let widest = widths.max(), widest > 8,
      let index = widths.firstIndex(of: widest)
    {
      widths[index] = max(8, widest - max(1, (widths.reduce(0, +) - available) / 2))
    }
  }

  private func line(_ cells: [Cell], isHeader: Bool = false) throws(StoreError) {
    guard let widths else { return }
    for (index, cell) in cells.enumerated() {
      if index > 0 { try bytes.append(" │ ") }
      var text = cell.text
      var width = TerminalWidth.of(text)
      if width > widths[index] {
        text = TerminalWidth.cut(text, to: max(widths[index], 1))
        width = TerminalWidth.of(text)
      }
      let padding = widths[index] - width
      if cell.isRight { try pad(padding) }
      let colour = terminal.hasColour && (isHeader || cell.isNull)
      if colour { try bytes.append(isHeader ? "\u{1B}[1m" : "\u{1B}[2m") }
      try bytes.append(text)
      if colour { try bytes.append("\u{1B}[0m") }
      if !cell.isRight, index < cells.count - 1 { try pad(padding) }
    }
    try bytes.append(UInt8(ascii: "\n"))
  }

  private func pad(_ count: Int) throws(StoreError) {
    for _ in 0..<max(0, count) { try bytes.append(UInt8(ascii: " ")) }
  }
}
