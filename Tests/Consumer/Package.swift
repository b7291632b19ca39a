// swift-tools-version: 6.2

// A program that takes app data alone, in a package of its own: another one than its macros'
// swift-syntax is neither resolved nor built for it.

import PackageDescription

let package = Package(
  name: "vault-consumer",
  dependencies: [.package(name: "vault", path: "../..", traits: ["AppData"])],
  targets: [
    .testTarget(
      name: "AppDataAloneTests",
      dependencies: [.product(name: "VaultAppData", package: "vault")])
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
