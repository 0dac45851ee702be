import KuraCore

/// The words of the process's command line.
package enum ProcessWords {
  /// The words after the program's name; bytes that are no UTF-8 are kept as ``FileName`` says.
  ///
  /// `CommandLine.arguments` repairs such bytes, and no file has the repaired name.
  package static func all() -> [String] {
    let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return words.dropFirst().compactMap { word in word.map { FileName.text(of: $0) } }
  }
}
