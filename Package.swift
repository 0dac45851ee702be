// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Settings of every Swift target; continuous integration adds warnings-as-errors by environment
/// so that a newer compiler's warning never breaks a user's build.
let house: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
  ] + (Context.environment["KURA_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// Backends call C; every such expression is marked `unsafe`.
let backend: [SwiftSetting] = house + [.strictMemorySafety()]

#if os(Linux)
  /// The folder of the toolchain with the SwiftSyntax that its compiler was built with: the manifest is
  /// loaded by that toolchain, whose library lies beside it.
  ///
  /// So a package that uses Kura compiles no SwiftSyntax of its own.
  func toolchainFolder() -> String? {
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 8192)
    while fgets(&line, Int32(line.count), maps) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      guard text.contains("libPackageDescription"), let start = text.firstIndex(of: "/") else {
        continue
      }
      let parts = text[start...].split(separator: "/", omittingEmptySubsequences: false)
      // …/usr/lib/swift/pm/ManifestAPI/libPackageDescription.so
      return parts.dropLast(3).joined(separator: "/") + "/host"
    }
    return nil
  }

  let syntax = toolchainFolder() ?? "/usr/lib/swift/host"
  let syntaxPackages: [Package.Dependency] = []
  let syntaxProducts: [Target.Dependency] = []
  let syntaxSwift: [SwiftSetting] = [.unsafeFlags(["-I", syntax])]
  let syntaxLinker: [LinkerSetting] = [
    .unsafeFlags(["-L", syntax, "-Xlinker", "-rpath", "-Xlinker", syntax]),
    .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftSyntaxMacros"),
    .linkedLibrary("SwiftSyntaxBuilder"), .linkedLibrary("SwiftParser"),
    .linkedLibrary("SwiftDiagnostics"),
    .linkedLibrary("SwiftCompilerPluginMessageHandling"),
  ]
  let syntaxTestProducts: [Target.Dependency] = []
  let syntaxTestLinker: [LinkerSetting] = [.linkedLibrary("SwiftSyntaxMacroExpansion")]
#else
  let syntaxPackages: [Package.Dependency] = [
    .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"700.0.0")
  ]
  let syntaxProducts: [Target.Dependency] = [
    .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
    .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
  ]
  let syntaxSwift: [SwiftSetting] = []
  let syntaxLinker: [LinkerSetting] = []
  let syntaxTestProducts: [Target.Dependency] = [
    .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax")
  ]
  let syntaxTestLinker: [LinkerSetting] = []
#endif

// What `@Model` writes; a plugin of the compiler, no part of a program.
let macros: Target = .macro(
  name: "KuraMacros", dependencies: syntaxProducts, swiftSettings: house + syntaxSwift,
  linkerSettings: syntaxLinker)

/// The tests of the macro's expansion are a package of their own, chosen by the environment
/// (`make test-macros`): a test of a plugin makes SwiftPM build every test target of its package
/// twice, once for the host.
let macroTests: Target = .testTarget(
  name: "KuraMacrosTests", dependencies: ["KuraMacros"] + syntaxTestProducts,
  swiftSettings: house + syntaxSwift, linkerSettings: syntaxLinker + syntaxTestLinker)

let products: [Product] = [
  .library(name: "Kura", targets: ["Kura"]),
  .library(name: "KuraSQLite", targets: ["KuraSQLite"]),
  .library(name: "KuraLMDB", targets: ["KuraLMDB"]),
  .library(name: "KuraTesting", targets: ["KuraTesting"]),
  .executable(name: "store-inspect", targets: ["store-inspect"]),
]

let targets: [Target] = [
  macros,
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
  .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .target(name: "KuraCore", dependencies: ["KuraMacros"], swiftSettings: house),
  .target(name: "KuraSQLite", dependencies: ["KuraCore", "CSQLite"], swiftSettings: backend),
  .target(
    name: "KuraLMDB", dependencies: ["KuraCore", "CLMDB"],
    swiftSettings: backend),
  .target(
    name: "Kura", dependencies: ["KuraCore", "KuraSQLite", "KuraLMDB"], swiftSettings: house),
  .target(name: "KuraTesting", dependencies: ["Kura"], swiftSettings: house),
  .target(
    name: "InspectorKit", dependencies: ["Kura", "KuraSQLite", "KuraLMDB", "CZlib"],
    swiftSettings: house),
  .executableTarget(
    name: "store-inspect", dependencies: ["InspectorKit"], swiftSettings: house),
  // Faults of the operating system, for the process that follows and for no product.
  .target(name: "StoreFaults", path: "Tests/StoreFaults"),
  // A process that tests start several of and kill; no product.
  .executableTarget(
    name: "store-hammer", dependencies: ["Kura", "StoreFaults"], path: "Tests/StoreHammer",
    swiftSettings: house),
  .testTarget(
    name: "KuraCoreTests", dependencies: ["KuraCore", "KuraTesting"], swiftSettings: house),
  .testTarget(
    name: "KuraSQLiteTests", dependencies: ["KuraSQLite", "KuraTesting", "CSQLite"],
    swiftSettings: house),
  .testTarget(
    name: "KuraLMDBTests", dependencies: ["KuraLMDB", "KuraTesting", "CLMDB"],
    swiftSettings: house),
  .testTarget(
    name: "KuraTests", dependencies: ["Kura", "KuraTesting", "store-hammer"],
    swiftSettings: house),
  .testTarget(
    name: "InspectorKitTests", dependencies: ["InspectorKit", "KuraTesting"], swiftSettings: house
  ),
  .testTarget(
    name: "DocumentationTests", dependencies: ["Kura", "InspectorKit"], swiftSettings: house),
]

/// Which part of the package is built and tested by itself, if `KURA_TEST` says so: `macros`, or
/// `concurrency`, which is what the thread sanitizer needs.
let part = Context.environment["KURA_TEST"]
let apart: Set<String> = [
  "InspectorKit", "store-inspect", "KuraCoreTests", "KuraSQLiteTests", "InspectorKitTests",
  "DocumentationTests",
]
let partTargets =
  switch part {
  case "macros": [macros, macroTests]
  case "concurrency": targets.filter { !apart.contains($0.name) }
  default: targets
  }

let package = Package(
  name: "Kura",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: part == nil ? products : [],
  dependencies: syntaxPackages,
  targets: partTargets,
  swiftLanguageModes: [.v6]
)
