// swift-tools-version: 6.2

// The tests of the provider for swift-configuration, in a package of their own: so the main package
// resolves and builds swift-configuration only where its trait is on.

import PackageDescription

let package = Package(
  name: "vault-configuration-tests",
  dependencies: [
    .package(name: "vault", path: "../..", traits: ["Configuration"]),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
  ],
  targets: [
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        .product(name: "VaultPreferences", package: "vault"),
        .product(name: "VaultPreferencesConfiguration", package: "vault"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "ConfigurationTesting", package: "swift-configuration"),
      ])
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
