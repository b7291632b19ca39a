// swift-tools-version: 6.2

// The tests of the observers for swift-log and swift-metrics, in a package of their own: so the
// main package resolves and builds these two only where their trait is on. It takes app data as any
// other package does.

import PackageDescription

let package = Package(
  name: "vault-observability-tests",
  dependencies: [
    .package(name: "vault", path: "../..", traits: ["Observability"]),
    .package(url: "https://github.com/apple/swift-log", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
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
