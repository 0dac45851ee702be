@_exported public import KuraCore
@_exported public import KuraSQLite
