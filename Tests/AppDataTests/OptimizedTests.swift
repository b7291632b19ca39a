import Foundation
import TestSupport
import Testing

/// A program with the models of the sample does the same whether its code is optimized or not.
struct OptimizedTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private static let compiler: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/swiftc" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }()

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The object files of this library, as they were built for these tests.
  private static func objects() throws -> [String] {
    try ["VaultAppData", "VaultStorage", "SwiftData"].flatMap { name in
      let folder = KeyringSession.product("\(name).build")
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".swift.o") }.map { "\(folder)/\($0)" }
    }
  }

  @Test(
    .enabled(if: compiler != nil, "needs swiftc in PATH"),
    arguments: [["-Onone", "-swift-version", "6"], ["-O", "-swift-version", "5"]])
  func theProgramFindsTheSame(flags: [String]) throws {
    let program = "\(home.path)/program"
    let tests = "\(Self.root)/Tests/AppDataTests"
    let shims = ["CVaultSQLite", "CVaultLinux"].flatMap { name in
      ["-Xcc", "-fmodule-map-file=\(Self.root)/Sources/\(name)/module.modulemap"]
    }
    let tool = KeyringSession.product("VaultAppDataMacros-tool")
    let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    let compiled = try VaultProcess(home: home.path, executable: #require(Self.compiler)).run(
      ["\(tests)/ProjectModels.swift", "\(tests)/Samples/Program.swift", "-parse-as-library"]
        + flags + ["-I", KeyringSession.product("Modules")] + shims
        + ["-load-plugin-executable", "\(tool)#VaultAppDataMacros"] + Self.objects()
        + ["-lsqlite3", "-o", program], adding: environment)
    try #require(compiled.status == 0, "\(compiled.errors.prefix(2_000))")
    let result = try VaultProcess(home: home.path, executable: program).run([])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors.prefix(2_000))")
    #expect(
      result.text == """
        ["Home"]
        ["Clean"]
        ["Clean"]
        ["Paint"]
        ["Clean"]
        ["Plant"]
        ["Paint", "Clean", "Plant"]
        3
        0

        """)
  }
}
