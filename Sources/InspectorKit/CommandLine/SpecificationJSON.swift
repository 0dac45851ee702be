import KuraCore

/// The whole command line as JSON, for `--spec`.
enum SpecificationJSON {
  static func write(_ specification: CommandSpecification, to bytes: ByteWriter)
    throws(StoreError)
  {
    try bytes.append("{\"name\":")
    try bytes.appendJSON(specification.name)
    try bytes.append(",\"version\":")
    try bytes.appendJSON(InspectorVersion.number)
    try bytes.append(",\"summary\":")
    try bytes.appendJSON(specification.summary)
    try bytes.append(",\"commands\":[")
    for (index, command) in specification.visibleCommands.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try write(command, specification, bytes)
    }
    try bytes.append("],\"exitCodes\":{")
    for (index, code) in ExitCode.allCases.enumerated() {
      try bytes.append("\(index > 0 ? "," : "")\"\(code.rawValue)\":")
      try bytes.appendJSON(code.meaning)
    }
    try bytes.append("}}\n")
  }

  private static func write(
    _ command: CommandSpecification.Command, _ specification: CommandSpecification,
    _ bytes: ByteWriter
  ) throws(StoreError) {
    try bytes.append("\n{\"name\":")
    try bytes.appendJSON(command.name)
    try bytes.append(",\"summary\":")
    try bytes.appendJSON(command.summary)
    try bytes.append(",\"arguments\":[")
    for (index, argument) in command.arguments.enumerated() {
      try bytes.append(index > 0 ? ",{\"name\":" : "{\"name\":")
      try bytes.appendJSON(argument.name)
      try bytes.append(",\"summary\":")
      try bytes.appendJSON(argument.summary)
      try bytes.append(",\"optional\":\(argument.isOptional),\"repeated\":\(argument.isRepeated)")
      try list("choices", argument.choices, bytes)
      try bytes.append("}")
    }
    try bytes.append("],\"options\":[")
    let options = specification.options(of: command).filter { !$0.isHidden }
    for (index, option) in options.enumerated() {
      try bytes.append(index > 0 ? ",{\"name\":" : "{\"name\":")
      try bytes.appendJSON(option.name)
      if let short = option.short {
        try bytes.append(",\"short\":")
        try bytes.appendJSON(String(short))
      }
      if let value = option.value {
        try bytes.append(",\"value\":")
        try bytes.appendJSON(value)
      }
      try bytes.append(",\"summary\":")
      try bytes.appendJSON(option.summary)
      try bytes.append(",\"repeated\":\(option.isRepeated)")
      try list("choices", option.choices, bytes)
      try bytes.append("}")
    }
    try bytes.append("]")
    try list("examples", command.examples, bytes)
    try bytes.append("}")
  }

  private static func list(_ name: String, _ words: [String], _ bytes: ByteWriter)
    throws(StoreError)
  {
    guard !words.isEmpty else { return }
    try bytes.append(",\"\(name)\":[")
    for (index, word) in words.enumerated() {
      if index > 0 { try bytes.append(UInt8(ascii: ",")) }
      try bytes.appendJSON(word)
    }
    try bytes.append("]")
  }
}
