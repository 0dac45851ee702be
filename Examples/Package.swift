// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Kura", path: "..")],
  targets: [
    .executableTarget(name: "CoopResults", dependencies: [.product(name: "Kura", package: "Kura")]),
    .executableTarget(name: "ToDo", dependencies: [.product(name: "Kura", package: "Kura")]),
  ],
  swiftLanguageModes: [.v6]
)
