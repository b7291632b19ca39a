// swift-tools-version: 6.2

// The tests of what needs other traits than the default ones, in a package of their own: so the
// main package resolves and builds swift-configuration, swift-log and swift-metrics only where
// their traits are on. It takes the libraries as any other package does, with all traits: so they
// are the modules that CI has built for the main package.

import PackageDescription

let package = Package(
  name: "vault-traits-tests",
  dependencies: [
    .package(
      name: "vault", path: "../..",
      traits: ["AppData", "Command", "Configuration", "Observability"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        .product(name: "VaultPreferences", package: "vault"),
        .product(name: "VaultPreferencesConfiguration", package: "vault"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ConfigurationTesting", package: "swift-configuration"),
      ]),
    .testTarget(
      name: "ObservabilityTests",
      dependencies: [
        .product(name: "VaultAppData", package: "vault"),
        .product(name: "VaultAppDataObservability", package: "vault"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "AppDataConsumerTests",
      dependencies: [.product(name: "VaultAppData", package: "vault")]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
  ]
}

// Model code as people write it, in other styles than ours: one test for each form.
package.targets += [
  .testTarget(
    name: "FormsTests", dependencies: [.product(name: "SwiftData", package: "vault")]),
  .testTarget(
    name: "IsolatedFormsTests", dependencies: [.product(name: "SwiftData", package: "vault")],
    swiftSettings: [
      .defaultIsolation(MainActor.self),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ]),
]
