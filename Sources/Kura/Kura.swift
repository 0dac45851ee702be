// The umbrella: `import Kura` gives the toolkit and every backend of this build.
@_exported public import KuraCore
@_exported public import KuraLMDB
@_exported public import KuraSQLite
