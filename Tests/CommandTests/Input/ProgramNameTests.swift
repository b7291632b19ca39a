import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCommandCore

struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/bin/vault", "vault"), ("lvault", "lvault"), ("./kv", "kv"), ("", "vault"),
    ("/opt/git-credential-lvault", "lvault"), ("docker-credential-vault", "vault"),
    ("vault-askpass", "vault"), ("defaults", "vault"), ("a b", "vault"), ("x.xctest", "vault"),
  ])
  func theNameIsThatOfTheCall(path: String, name: String) {
    #expect(ProgramName.name(calledAs: path) == name)
  }

  @Test func aLinkOfAnotherNameSpeaksOfItself() throws {
    let home = try TemporaryHome()
    let link = "\(home.path)/lvault"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: VaultProcess.path)
    let command = VaultProcess(home: home.path, executable: link)
    let failed = try command.run(["get", "k"])
    #expect(failed.status == 78)
    #expect(failed.errors.hasPrefix("lvault: error: "))
    #expect(failed.errors.contains("lvault init"))
    #expect(try command.run(["help", "set"]).text.contains("lvault set api-token"))
    #expect(try command.run(["completions", "bash"]).text.contains("_lvault()"))
  }

  /// All texts in a JSON value.
  private static func texts(in value: Any) -> [String] {
    switch value {
    case let text as String: [text]
    case let list as [Any]: list.flatMap(texts)
    case let object as [String: Any]: object.values.flatMap(texts)
    default: []
    }
  }

  @Test func theHelpOfEveryCommandHasTheName() throws {
    let home = try TemporaryHome()
    let link = "\(home.path)/lvault"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: VaultProcess.path)
    let command = VaultProcess(home: home.path, executable: link)
    let dump = try command.run(["--experimental-dump-help"]).output
    let text = Self.texts(in: try JSONSerialization.jsonObject(with: dump)).joined(separator: "\n")
    #expect(text.matches(of: /lvault [a-z]/).count > 80)
    let names = Set(try CommandGrammarDump().all.map { $0.verb.commandName }).union(["help"])
    for match in text.matches(of: /(?:^|[\s'`(|])vault ([a-z-]+)( [a-z-]+)?/) {
      // A vault key is a thing; `vault key list` is to be typed.
      let (word, next) = (String(match.output.1), String(match.output.2?.dropFirst() ?? ""))
      #expect(!names.contains(word) || word == "key" && !names.contains(next), "\(match.output.0)")
    }
  }
}
