// swift-tools-version: 6.2
import PackageDescription

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

let package = Package(
  name: "Kura",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Kura", targets: ["Kura"]),
    .library(name: "KuraSQLite", targets: ["KuraSQLite"]),
    .library(name: "KuraLMDB", targets: ["KuraLMDB"]),
    .library(name: "KuraTesting", targets: ["KuraTesting"]),
    .executable(name: "store-inspect", targets: ["store-inspect"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "KuraCore", swiftSettings: house),
    .target(name: "KuraSQLite", dependencies: ["KuraCore", "CSQLite"], swiftSettings: backend),
    .target(
      name: "KuraLMDB", dependencies: ["KuraCore", "CLMDB"],
      swiftSettings: backend),
    .target(
      name: "Kura", dependencies: ["KuraCore", "KuraSQLite", "KuraLMDB"], swiftSettings: house),
    .target(name: "KuraTesting", dependencies: ["Kura"], swiftSettings: house),
    .target(
      name: "InspectorKit", dependencies: ["Kura", "KuraLMDB", "CZlib"], swiftSettings: house),
    .executableTarget(
      name: "store-inspect", dependencies: ["InspectorKit"], swiftSettings: house),
    // A process that tests start several of and kill; no product.
    .executableTarget(
      name: "store-hammer", dependencies: ["Kura"], path: "Tests/StoreHammer",
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
  ],
  swiftLanguageModes: [.v6]
)
