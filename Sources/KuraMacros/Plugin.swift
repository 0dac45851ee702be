import SwiftSyntaxMacros

#if canImport(SwiftCompilerPlugin)
  import SwiftCompilerPlugin
#else
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
#endif

/// The macros by the names under which `KuraCore` declares them; types, which never change.
nonisolated(unsafe) private let macros: [any Macro.Type] = [ModelMacro.self, MarkerMacro.self]

#if canImport(SwiftCompilerPlugin)
  @main struct KuraPlugin: CompilerPlugin {
    let providingMacros = macros
  }
#else
  /// Answers the compiler over standard input and output; the toolchain has no `SwiftCompilerPlugin`
  /// to do it.
  @main enum KuraPlugin {
    struct Provider: PluginProvider {
      func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = macros.first(where: { "\($0)" == typeName }) else {
          throw Unknown(description: "there is no macro \(moduleName).\(typeName)")
        }
        return macro
      }
    }

    struct Unknown: Error, CustomStringConvertible {
      let description: String
    }

    static func main() throws {
      let connection = try StandardIOMessageConnection()
      try CompilerPluginMessageListener(connection: connection, provider: Provider()).main()
    }
  }
#endif
