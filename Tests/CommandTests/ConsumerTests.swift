import Foundation
import TestSupport
import Testing

/// What a program that uses one of the libraries has to fetch and to build.
struct ConsumerTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let packageManager: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/swift" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }

  /// A package that takes `library`, with exactly these traits or, without any named, the default ones.
  private func consumer(of library: String, traits: String?, code: String) throws {
    let dependency = traits.map { ", traits: \($0)" } ?? ""
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "consumer",
        dependencies: [.package(name: "vault", path: "\(Self.root.path)"\(dependency))],
        targets: [
          .executableTarget(
            name: "consumer", dependencies: [.product(name: "\(library)", package: "vault")])
        ])
      """
    try FileManager.default.createDirectory(
      atPath: "\(home.path)/Sources/consumer", withIntermediateDirectories: true)
    try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(home.path)/Package.swift"))
    try Data(code.utf8)
      .write(to: URL(fileURLWithPath: "\(home.path)/Sources/consumer/main.swift"))
  }

  private func run(_ arguments: String...) throws -> VaultProcess.Result {
    // The package manager's own cache and git's settings are the user's: nothing is fetched twice.
    try VaultProcess(home: home.path, executable: try #require(Self.packageManager)).run(
      arguments, adding: ProcessInfo.processInfo.environment)
  }

  /// The names of the packages that are fetched for the consumer, but for this one.
  private func fetched() throws -> [String] {
    struct Package: Decodable {
      let url: String
      let dependencies: [Package]
      var all: [String] { dependencies.flatMap { [$0.url] + $0.all } }
    }
    let shown = try run("package", "show-dependencies", "--format", "json")
    #expect(shown.status == 0, "\(shown.errors)")
    let document = try #require(shown.text.firstRange(of: "{")).lowerBound
    let tree = try JSONDecoder().decode(Package.self, from: Data(shown.text[document...].utf8))
    return tree.all.filter { $0 != Self.root.path }.map {
      URL(fileURLWithPath: $0).lastPathComponent
    }
  }

  @Test(
    .enabled(if: packageManager != nil, "needs swift in PATH"),
    arguments: ["VaultCredentials", "VaultPreferences"])
  func oneDrawerWithoutTraitsFetchesNoOtherPackage(library: String) throws {
    try consumer(of: library, traits: "[]", code: "import \(library)\n")
    #expect(try fetched() == [])
  }

  @Test(.enabled(if: packageManager != nil, "needs swift in PATH"))
  func appDataAloneFetchesSwiftSyntaxOnly() throws {
    try consumer(of: "VaultAppData", traits: #"["AppData"]"#, code: "import VaultAppData\n")
    #expect(try fetched() == ["swift-syntax"])
  }

  @Test(.enabled(if: packageManager != nil, "needs swift in PATH"))
  func everythingIsThereByDefault() throws {
    try consumer(of: "VaultAppData", traits: nil, code: "import VaultAppData\n")
    #expect(Set(try fetched()) == ["swift-syntax", "swift-argument-parser"])
  }
}
