// swift-tools-version: 6.2

import PackageDescription

// The decoders under libFuzzer: `make fuzz`. A package of its own, since everything in it is built
// with the fuzzer's and the address sanitizer's instructions. `Sources` and `Targets` are links, so
// that its modules are the main package's own sources and may use what is `package` there.
let package = Package(
  name: "vault-fuzz",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    .executableTarget(
      name: "vault-fuzz", dependencies: ["FuzzTargets"], path: "Driver"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "VaultCommand", "VaultCommandCore", "VaultCredentials", "VaultDefaultsTool",
        "VaultExchange", "VaultOneTimeCodes", "VaultPreferences", "VaultDataStore",
        "VaultProtocols", "VaultStorage", "VaultSealing", "VaultSync", "VaultSyncEngines",
        "VaultTerminal",
      ],
      path: "Targets"),
    .target(
      name: "VaultCommand",
      dependencies: [
        "VaultCommandCore", "VaultCompletion", "VaultPreferences", "VaultCredentials",
        "VaultExchange", "VaultOneTimeCodes", "VaultPasswords", "VaultProtocols", "VaultTerminal",
        "VaultDefaultsTool", "VaultDataStore", "VaultDataImport", "VaultRedaction", "VaultSync",
        "VaultSyncEngines", "VaultDataSync", "VaultStorage", "VaultSealing", "CVaultLinux",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "VaultCompletion",
      dependencies: [
        "VaultCommandCore", "VaultDefaultsTool", "VaultPreferences", "VaultCredentials",
        "VaultProtocols", "VaultDataStore", "VaultStorage", "VaultSealing",
      ]),
    .target(
      name: "VaultCommandCore",
      dependencies: [
        "VaultPreferences", "VaultCredentials", "VaultExchange", "VaultOneTimeCodes",
        "VaultPasswords", "VaultProtocols", "VaultSync", "VaultSyncEngines", "VaultDataSync",
        "VaultTerminal",
        "VaultKeyringTransport", "VaultDBus", "VaultDataStore", "VaultStorage", "VaultSealing",
        "CVaultLinux",
      ]),
    .target(
      name: "VaultKeyringTransport",
      dependencies: ["VaultDBus", "VaultCredentials", "VaultSealing", "CVaultMbedCrypto"]),
    .target(name: "VaultDBus", dependencies: ["VaultSealing", "CVaultLinux"]),
    .target(
      name: "VaultExchange",
      dependencies: [
        "VaultCredentials", "VaultOneTimeCodes", "VaultPreferences", "VaultStorage", "VaultSealing",
      ]),
    .target(
      name: "VaultProtocols",
      dependencies: ["VaultCredentials", "VaultOneTimeCodes", "VaultStorage", "VaultSealing"]),
    .target(
      name: "VaultDefaultsTool",
      dependencies: [
        "VaultPreferences", "VaultDBus", "VaultTerminal", "VaultStorage", "VaultSealing",
        "CVaultLinux",
      ]),
    .target(name: "VaultPasswords", dependencies: ["VaultSealing"]),
    .target(
      name: "VaultTerminal",
      dependencies: ["VaultRedaction", "VaultStorage", "VaultSealing", "CVaultLinux"]),
    .target(name: "VaultRedaction", dependencies: ["VaultSealing"]),
    .target(
      name: "VaultDataImport",
      dependencies: [
        "VaultDataStore", "VaultPreferences", "VaultStorage", "VaultSealing", "CVaultZlib",
      ]),
    .target(name: "VaultSync", dependencies: ["VaultCredentials", "VaultStorage", "VaultSealing"]),
    .target(
      name: "VaultDataSync",
      dependencies: [
        "VaultSync", "VaultCredentials", "VaultDataStore", "VaultStorage", "VaultSealing",
      ]),
    .target(
      name: "VaultSyncEngines",
      dependencies: ["VaultSync", "VaultTerminal", "VaultStorage", "VaultSealing"]),
    .target(
      name: "VaultPreferences",
      dependencies: ["VaultStorage", "VaultSealing", "CVaultExpat", "CVaultTOML"]),
    .target(
      name: "VaultCredentials",
      dependencies: ["VaultStorage", "VaultSealing", "CVaultSecret", "CVaultLinux"]),
    .target(name: "VaultOneTimeCodes", dependencies: ["VaultSealing", "CVaultMbedCrypto"]),
    .target(name: "VaultDataStore", dependencies: ["VaultStorage"]),
    .target(name: "VaultStorage", dependencies: ["CVaultSQLite", "CVaultLinux"]),
    .target(name: "VaultSealing", dependencies: ["CVaultSodium", "CVaultLinux"]),
    .systemLibrary(name: "CVaultSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CVaultSodium", pkgConfig: "libsodium"),
    .systemLibrary(name: "CVaultSecret"),
    .systemLibrary(name: "CVaultExpat", pkgConfig: "expat"),
    .target(name: "CVaultTOML"),
    .systemLibrary(name: "CVaultMbedCrypto"),
    .systemLibrary(name: "CVaultZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CVaultLinux"),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// Where the main package has them.
let command: Set = [
  "VaultCommand", "VaultCommandCore", "VaultCompletion", "VaultDefaultsTool",
]

for target in package.targets where target.path == nil {
  let storey =
    target.name.hasPrefix("CVault")
    ? "Shims" : command.contains(target.name) ? "Command" : "Libraries"
  target.path = "Sources/\(storey)/\(target.name)"
}

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
