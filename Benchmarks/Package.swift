// swift-tools-version: 6.2

import PackageDescription

// What is measured in one process, beside the peers' libraries. A package of its own: nobody who uses vault
// builds it.
let package = Package(
  name: "vault-benchmarks",
  dependencies: [.package(name: "vault", path: "..")],
  targets: [
    .executableTarget(
      name: "preferences-benchmark",
      dependencies: [
        .product(name: "VaultPreferences", package: "vault"),
        .product(name: "VaultStorage", package: "vault"),
      ],
      path: "Sources/PreferencesBenchmark"),
    .executableTarget(
      name: "appdata-benchmark",
      dependencies: [
        .product(name: "VaultAppData", package: "vault"), "CSQLite",
      ],
      path: "Sources/AppDataBenchmark"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3"),
  ],
  swiftLanguageModes: [.v6]
)
