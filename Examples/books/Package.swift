// swift-tools-version: 6.2

import PackageDescription

// A complete command-line program over model code. A package of its own, as a program of yours
// would be; there, the first dependency is `.package(url: "ADDRESS", from: "0.1.0", traits: ["AppData"])`.
let package = Package(
  name: "books",
  dependencies: [
    .package(name: "vault", path: "../..", traits: ["AppData"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "books",
      dependencies: [
        .product(name: "SwiftData", package: "vault"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
