// swift-tools-version: 6.2

import PackageDescription

// What is measured in one process, beside the peers' libraries. A package of its own: nobody who
// uses vault builds it, or its peers.
let package = Package(
  name: "vault-benchmarks",
  dependencies: [
    .package(name: "vault", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "preferences-benchmark",
      dependencies: [
        .product(name: "VaultPreferences", package: "vault"),
        .product(name: "VaultStorage", package: "vault"),
      ],
      path: "Sources/PreferencesBenchmark"),
    .executableTarget(
      name: "sealing-benchmark",
      dependencies: [.product(name: "VaultSealing", package: "vault"), "CSodium"],
      path: "Sources/SealingBenchmark"),
    .executableTarget(
      name: "appdata-benchmark",
      dependencies: [
        .product(name: "VaultAppData", package: "vault"),
        .product(name: "GRDB", package: "GRDB.swift"), "CSQLite",
      ],
      path: "Sources/AppDataBenchmark"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
  ],
  swiftLanguageModes: [.v6]
)
