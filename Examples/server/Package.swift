// swift-tools-version: 6.2

import PackageDescription

// The server of Documentation/design/servers-appdata.md. A package of its own: nobody who uses
// vault builds it, or Hummingbird.
let package = Package(
  name: "visits-server",
  dependencies: [
    .package(name: "vault", path: "../..", traits: ["Observability"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .executableTarget(
      name: "visits-server",
      dependencies: [
        .product(name: "VaultAppData", package: "vault"),
        .product(name: "VaultAppDataObservability", package: "vault"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/VisitsServer")
  ],
  swiftLanguageModes: [.v6]
)
