import Foundation
import TestSupport
import Testing

/// `swift`, where it is in PATH.
private let packageManager: String? =
  (ProcessInfo.processInfo.environment["PATH"] ?? "")
  .split(separator: ":").map { "\($0)/swift" }.first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

/// What a program that uses one of the libraries has to fetch and to build; that program runs.
@Suite(.enabled(if: packageManager != nil, "needs swift in PATH"))
struct ConsumerTests {
  private let home: TemporaryHome

  init() throws {
    home = try TemporaryHome()
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Writes a package with a program for each of `libraries`, which takes this one with exactly
  /// these traits.
  ///
  /// Without any named, `traits` are the default ones.
  private func consume(_ libraries: [String: String], traits: String?) throws {
    let dependency = traits.map { ", traits: \($0)" } ?? ""
    let targets = libraries.keys.sorted().map { library in
      """
          .executableTarget(
            name: "Use\(library)", dependencies: [.product(name: "\(library)", package: "vault")]),
      """
    }
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "consumer",
        dependencies: [.package(name: "vault", path: "\(Self.root.path)"\(dependency))],
        targets: [
      \(targets.joined(separator: "\n"))
        ])
      """
    try Data(manifest.utf8).write(to: URL(fileURLWithPath: "\(home.path)/Package.swift"))
    for (library, code) in libraries {
      let folder = "\(home.path)/Sources/Use\(library)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(code.utf8).write(to: URL(fileURLWithPath: "\(folder)/main.swift"))
    }
  }

  private func swift(_ arguments: [String]) throws -> VaultProcess.Result {
    // The package manager's own cache and git's settings are the user's: nothing is fetched twice.
    var environment = ProcessInfo.processInfo.environment
    if let compiler = Self.compiler { environment["SWIFT_EXEC"] = compiler }
    return try VaultProcess(home: home.path, executable: try #require(packageManager)).run(
      arguments, adding: environment)
  }

  /// In CI, the compiler that takes what it has compiled for another build: scripts/compile-once.
  private static let compiler = ProcessInfo.processInfo.environment["CONSUMER_COMPILER"]

  /// The names of the packages that are fetched for the consumer, but for this one.
  private func fetched() throws -> [String] {
    struct Package: Decodable {
      let url: String
      let dependencies: [Package]
      var all: [String] { dependencies.flatMap { [$0.url] + $0.all } }
    }
    let shown = try swift(["package", "show-dependencies", "--format", "json"])
    #expect(shown.status == 0, "\(shown.errors)")
    let document = try #require(shown.text.firstRange(of: "{")).lowerBound
    let tree = try JSONDecoder().decode(Package.self, from: Data(shown.text[document...].utf8))
    return tree.all.filter { $0 != Self.root.path }.map {
      URL(fileURLWithPath: $0).lastPathComponent
    }
  }

  /// Builds the consumer and runs the program of `library`.
  private func output(of library: String) throws -> String {
    let product = "Use\(library)"
    // Neither debug information nor an index is read. As a whole, a module takes two thirds of the
    // time.
    let whole = [
      "--disable-index-store", "-Xswiftc", "-disable-batch-mode", "-Xswiftc",
      "-whole-module-optimization", "-Xswiftc", "-no-emit-module-separately-wmo", "-Xswiftc",
      "-num-threads", "-Xswiftc", "2",
    ]
    let built = try swift(
      ["build", "--product", product, "-debug-info-format", "none"]
        + (Self.compiler == nil ? whole : []))
    try #require(built.status == 0, "\(built.text.suffix(4_000))\(built.errors.suffix(1_000))")
    // Such as flags of a pkg-config file that SwiftPM does not take.
    #expect(!(built.text + built.errors).contains("warning:"), "\(built.text)\(built.errors)")
    let program = VaultProcess(home: home.path, executable: "\(home.path)/.build/debug/\(product)")
    let run = try program.run(["\(home.path)/data"])
    #expect(run.status == 0, "\(run.errors)")
    return run.text
  }

  private static let credentials = """
    import VaultCredentials
    import VaultSealing
    import VaultStorage

    var options = VaultOptions()
    options.usesKeyring = false
    options.sessionSeconds = 0
    let location = StoreLocation(home: CommandLine.arguments[1])
    let key = try SecretBytes.random(count: 32)
    let vault = try LockedVault(location: location, options: options)
    _ = try vault.blocking.create(slots: [.keyFile(key)])
    let open = try await vault.unlock(with: [.key { key }])
    try await open.set(ItemName("api-token"), to: Secret("s3cr3t"))
    print(try await open.get(ItemName("api-token")).text ?? "")
    """

  private static let preferences = """
    import VaultPreferences
    import VaultStorage

    let location = StoreLocation(home: CommandLine.arguments[1])
    let store = try PreferenceStore(domain: "com.example.tool", location: location)
    store.set("dark", forKey: "theme")
    print(store.string(forKey: "theme") ?? "")
    """

  /// There is no vault, and nothing that could open a new one.
  private static let keychain = """
    import Foundation
    import Security

    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "me",
      kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    print(SecItemCopyMatching(query as CFDictionary, &item) == errSecNotAvailable)
    """

  private static let defaults = """
    import VaultUserDefaults

    UserDefaults.standard.set("dark", forKey: "theme")
    print(UserDefaults.standard.string(forKey: "theme") ?? "")
    """

  @Test func twoDrawersWithoutTraitsFetchNoOtherPackageAndRun() throws {
    let libraries = ["VaultCredentials": Self.credentials, "VaultPreferences": Self.preferences]
    // By the names of a Mac, and with Foundation.
    let others = ["Security": Self.keychain, "VaultUserDefaults": Self.defaults]
    try consume(libraries.merging(others) { $1 }, traits: "[]")
    #expect(try fetched() == [])
    #expect(try output(of: "VaultCredentials") == "s3cr3t\n")
    #expect(try output(of: "VaultPreferences") == "dark\n")
    #expect(try output(of: "Security") == "true\n")
    #expect(try output(of: "VaultUserDefaults") == "dark\n")
    // libsecret would bring GLib and ten others: it is opened when a keyring is first needed.
    for library in libraries.keys {
      let loaded = try loaded(by: library)
      #expect(loaded.contains { $0.hasPrefix("libsqlite3.") })
      let foreign = ["libsecret", "libglib", "libgio", "libgobject", "libFoundation.", "lib_Found"]
      #expect(loaded.filter { name in foreign.contains { name.hasPrefix($0) } } == [], "\(library)")
    }
  }

  // MARK: From nothing

  /// What the README has a newcomer do: `swift package init`, the package's line, the product's
  /// line, and a sample in place of the template's file, whatever this toolchain calls that.
  private func begin(with product: String, traits: String) throws {
    let made = try swift(["package", "init", "--type", "executable", "--name", "tool"])
    #expect(made.status == 0, "\(made.errors)")
    let readme = try String(
      contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    let line = try #require(
      readme.split(separator: "\n").first { $0.contains(#".package(url: "ADDRESS""#) })
    let package = line.split(separator: "//")[0].trimmingCharacters(in: .whitespaces)
      // This checkout, which has no releases.
      .replacing(
        #"url: "ADDRESS", from: "0.1.0""#, with: "name: \"vault\", path: \"\(Self.root.path)\""
      )
      .replacing("traits: []", with: "traits: \(traits)")
    #expect(readme.contains(#".product(name: "VaultCredentials", package: "vault")"#))
    let needed = #"[.product(name: "\#(product)", package: "vault")]"#
    let path = "\(home.path)/Package.swift"
    var manifest = try String(contentsOfFile: path, encoding: .utf8)
    manifest = manifest.replacing(
      "  targets: [", with: "  dependencies: [\(package)],\n  targets: [")
    let target = try #require(manifest.firstRange(of: #"name: "tool""#, after: "executableTarget("))
    manifest.insert(contentsOf: ", dependencies: \(needed)", at: target.upperBound)
    try Data(manifest.utf8).write(to: URL(fileURLWithPath: path))
    let folder = "\(home.path)/Sources/tool"
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
    }
    let sample = try #require(
      readme.components(separatedBy: "```swift\n").first { $0.hasPrefix("import \(product)\n") })
    try Data(sample.components(separatedBy: "\n```")[0].utf8).write(
      to: URL(fileURLWithPath: "\(folder)/main.swift"))
  }

  /// Builds what was begun, and runs it.
  private func outputOfTool() throws -> String {
    let built = try swift(["build", "--product", "tool", "--disable-index-store"])
    try #require(built.status == 0, "\(built.text.suffix(4_000))\(built.errors.suffix(1_000))")
    let run = try VaultProcess(home: home.path, executable: "\(home.path)/.build/debug/tool").run([]
    )
    #expect(run.status == 0, "\(run.errors)")
    return run.text
  }

  private static let compilesMacros =
    ProcessInfo.processInfo.environment["VAULT_TEST_MACROS"] != nil

  @Test func aNewPackageTakesTheReadmesPreferences() throws {
    try begin(with: "VaultPreferences", traits: "[]")
    #expect(try outputOfTool() == "dark\ndark\n")
  }

  @Test(
    .enabled(if: compilesMacros, "compiles swift-syntax, some minutes: VAULT_TEST_MACROS=1"))
  func aNewPackageTakesTheReadmesModels() throws {
    try begin(with: "SwiftData", traits: #"["AppData"]"#)
    #expect(try outputOfTool() == "[\"Rome\"]\n")
  }

  /// The libraries that the loader needs for the program of `library`, and theirs.
  private func loaded(by library: String) throws -> [String] {
    let run = try VaultProcess(home: home.path, executable: "/usr/bin/ldd")
      .run(["\(home.path)/.build/debug/Use\(library)"])
    #expect(run.status == 0, "\(run.errors)")
    return run.text.split(separator: "\n").compactMap {
      $0.split(separator: " ").first.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test func theProviderIsFetchedWithItsTrait() throws {
    try consume(["VaultPreferencesConfiguration": ""], traits: #"["Configuration"]"#)
    let names = try fetched()
    #expect(names.contains("swift-configuration"))
    #expect(!names.contains("swift-syntax") && !names.contains("swift-argument-parser"))
  }

  /// What a program does with it is tested in Tests/Traits, where swift-syntax is built already.
  @Test func appDataAloneFetchesSwiftSyntaxOnly() throws {
    try consume(["VaultAppData": ""], traits: #"["AppData"]"#)
    #expect(try fetched() == ["swift-syntax"])
  }

  @Test func observersAloneFetchTheirPackages() throws {
    try consume(["VaultAppDataObservability": ""], traits: #"["Observability"]"#)
    #expect(Set(try fetched()).isSuperset(of: ["swift-syntax", "swift-log", "swift-metrics"]))
    #expect(!(try fetched()).contains("swift-argument-parser"))
  }

  @Test func everythingIsThereByDefault() throws {
    try consume(["VaultAppData": ""], traits: nil)
    #expect(Set(try fetched()) == ["swift-syntax", "swift-argument-parser"])
  }
}

extension String {
  /// The first range of `text` behind `mark`.
  fileprivate func firstRange(of text: String, after mark: String) -> Range<Index>? {
    firstRange(of: mark).flatMap { self[$0.upperBound...].firstRange(of: text) }
  }
}
