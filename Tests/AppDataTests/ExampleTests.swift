import Foundation
import TestSupport
import Testing

/// The programs in `Examples` are whole, and do what their page shows.
struct ExampleTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private static let root = URL(fileURLWithPath: SwiftCompiler.tests)
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The lines of the page's sessions of one program, each with what it prints.
  private static func session(_ section: String) throws -> [(line: String, output: String)] {
    let page = try String(contentsOfFile: "\(root)/Examples/README.md", encoding: .utf8)
    let text = try #require(page.components(separatedBy: "## \(section)\n").last)
      .components(separatedBy: "\n## ")[0]
    return text.components(separatedBy: "```console\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }.joined()
      .components(separatedBy: "$ ").dropFirst().map { step in
        let parts = step.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }
  }

  /// Runs a line in a shell that finds the built programs.
  private func shell(_ line: String, path: String) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path, executable: "/bin/sh").run(
      ["-c", "\(line) 2>&1"], adding: ["PATH": "\(path):/usr/bin:/bin"])
  }

  /// Compiled with the modules of these tests: what `swift build` makes of the package, in seconds.
  @Test(.enabled(if: SwiftCompiler.path != nil, "needs swiftc in PATH"))
  func theCommandLineProgramDoesWhatItsPageShows() throws {
    let folder = "\(Self.root)/Examples/books/Sources/books"
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder)
      .map { "\(folder)/\($0)" }
    let objects =
      try SwiftCompiler.objects(home: home)
      + SwiftCompiler.objects(of: ["ArgumentParser", "ArgumentParserToolInfo"])
    let bin = "\(home.path)/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    let compiled = try SwiftCompiler.run(
      #require(SwiftCompiler.path),
      sources + ["-parse-as-library", "-swift-version", "6"] + objects
        + ["-lsqlite3", "-lsodium", "-o", "\(bin)/books"],
      home: home)
    try #require(compiled.status == 0, "\(compiled.errors.prefix(4_000))")
    #expect(!compiled.errors.contains("warning:"), "\(compiled.errors.prefix(4_000))")
    try FileManager.default.createSymbolicLink(
      atPath: "\(bin)/vault", withDestinationPath: VaultProcess.path)
    let steps = try Self.session("books")
    try #require(steps.count > 10)
    for step in steps where !step.line.hasPrefix("swift build") {
      // These tests are built without the command, too: under ThreadSanitizer.
      if step.line.hasPrefix("vault"),
        !FileManager.default.isExecutableFile(atPath: VaultProcess.path)
      {
        continue
      }
      let result = try shell(step.line, path: bin)
      let shown = step.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(
        result.text.trimmingCharacters(in: .whitespacesAndNewlines) == shown, "\(step.line)")
    }
  }

  /// The server, where `make examples` has built it.
  private static let server = "\(root)/.build-examples/server/debug/visits-server"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: server),
      "needs the server that `make examples` builds"))
  func theServerAnswersAsItsPageShows() throws {
    let steps = try Self.session("server").filter { $0.line.hasPrefix("curl") }
    try #require(steps.count >= 2)
    // A port that is free now.
    let port = try shell(
      "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); print(s.getsockname()[1])'",
      path: "")
    let number = try #require(Int(port.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let server = Process()
    server.executableURL = URL(fileURLWithPath: Self.server)
    server.environment = [
      "HOME": home.path, "VISITS_PORT": "\(number)", "VISITS_STORE": "\(home.path)/visits.store",
    ]
    try server.run()
    defer {
      server.terminate()
      server.waitUntilExit()
      #expect(server.terminationStatus == 0)
    }
    for step in steps {
      let line = step.line.replacing(":8080", with: ":\(number)")
        .replacing("curl ", with: "curl --silent --retry 60 --retry-connrefused --retry-delay 1 ")
      // The order of an object's members is the encoder's.
      #expect(try json(shell(line, path: "").text) == json(step.output))
    }
  }

  private func json(_ text: String) throws -> NSObject? {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject
  }
}
