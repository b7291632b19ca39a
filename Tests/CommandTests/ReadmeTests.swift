import Foundation
import TestSupport
import Testing

/// The README's examples in Swift: they are the snippets, which the package builds, and the
/// programs run on a machine where nothing is set up.
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized.path

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// The lines of a snippet below the comment that says what it shows.
  private static func example(_ name: String) throws -> String {
    let lines = try text("Snippets/\(name).swift").components(separatedBy: "\n")
    return lines.drop { $0.hasPrefix("//") || $0.isEmpty }.joined(separator: "\n")
  }

  @Test(arguments: ["Preferences", "Credentials", "AppData"])
  func theReadmeShowsTheSnippet(_ name: String) throws {
    let blocks = try Self.text("README.md").components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(blocks.contains(try Self.example(name)))
  }

  @Test func theArticleShowsTheSnippetThatAsks() throws {
    let article = try Self.text(
      "Sources/Libraries/VaultTerminal/VaultTerminal.docc/AskingForASecret.md")
    #expect(article.contains(try Self.example("Asking")))
  }

  /// Runs a snippet in a home of its own.
  private func run(
    _ name: String, in home: TemporaryHome, adding variables: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path, executable: KeyringSession.product(name))
      .run([], adding: variables)
  }

  @Test func preferencesRunOnAFreshMachine() throws {
    let home = try TemporaryHome()
    for _ in 0..<2 {
      let run = try run("Preferences", in: home)
      #expect(run.status == 0 && run.text == "dark\ndark\n", "\(run.errors)")
    }
  }

  @Test func appDataRunsOnAFreshMachine() throws {
    let home = try TemporaryHome()
    let run = try run("AppData", in: home)
    #expect(run.status == 0 && run.text == "[\"Rome\"]\n", "\(run.errors)")
  }

  @Test func credentialsSayWhatIsMissingOnAFreshMachine() throws {
    let home = try TemporaryHome()
    let run = try run("Credentials", in: home)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasPrefix("no token: there is no vault at \(home.path)/"))
    #expect(run.text.hasSuffix("create a vault)\n"))
  }

  private static let expected =
    "6\n<redacted>\napi-token 6\nwork/github 11\nwork/registry 7\n"

  @Test func credentialsRunWithAKeyFile() throws {
    let home = try TemporaryHome()
    let key = try home.privateFile("vault.key", String(repeating: "k", count: 32))
    for _ in 0..<2 {
      let run = try run("Credentials", in: home, adding: ["VAULT_KEY_FILE": key])
      #expect(run.status == 0 && run.text == Self.expected, "\(run.text)\(run.errors)")
    }
    // The command finds what the program stored.
    let got = try VaultProcess(home: home.path, environment: ["VAULT_KEY_FILE": key])
      .run(["get", "work/github"])
    #expect(got.text == "ghp_example", "\(got.errors)")
  }

  @Test(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
  func credentialsRunWithTheDesktopKeyring() throws {
    let session = try KeyringSession(.unlocked)
    for _ in 0..<2 {
      let run = try session.run(KeyringSession.product("Credentials"))
      #expect(run.status == 0 && run.text + "\n" == Self.expected, "\(run.text)\(run.errors)")
    }
    let copy = try session.run(
      "/usr/bin/secret-tool", ["lookup", "service", "vault", "username", "api-token"])
    #expect(copy.text == "s3cr3t")
  }

  @Test(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
  func theProgramThatAsksHidesWhatIsTyped() throws {
    let home = try TemporaryHome()
    let script = try PythonScript("asking")
      .run([KeyringSession.product("Asking"), VaultProcess.path, home.path])
    #expect(script.status == 0, "\(script.errors)")
  }
}
