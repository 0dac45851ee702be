// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that building Kura never builds this. `make bench` runs it.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Kura", path: "..")],
  targets: [
    // The other side of every ratio: what a C programmer writes against sqlite3 and liblmdb, optimised
    // alike.
    .target(
      name: "PlainC", cSettings: [.unsafeFlags(["-O2"])], cxxSettings: [.unsafeFlags(["-O2"])],
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),
    .executableTarget(
      name: "kura-bench",
      dependencies: [
        "PlainC", .product(name: "Kura", package: "Kura"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
