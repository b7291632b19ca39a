import Foundation
import Testing

/// The command parses no other program's format or protocol: VaultExchange, VaultProtocols and
/// VaultPreferences do, as functions that need no process.
///
/// A test cannot tell parsing from other code. This one holds the signs of it: a parser of JSON or
/// XML in use, a file or type named after another program's format, and the words of its syntax.
struct ForeignFormatTests {
  /// Files that may show a sign, each with its reason.
  static let allowed: [String: String] = [
    "VaultCommandCore/Importing/ImportSource.swift":
      "the names of the programs to run, and of files",
    "VaultCommandCore/SSH/SSHKeyRequest.swift": "the answer of the helper, and no other program's",
    "VaultCommandCore/Importing/PassFolder.swift": "the files of a folder, which gpg opens",
  ]

  /// The names of the formats and protocols.
  private static let names = [
    "Bitwarden", "CSV", "Dotenv", "KeePass", "PassEntry", "GitDescription", "GitAddress",
    "DockerConfig", "DockerRegistry", "MarkedBlock", "AskpassPrompt", "SecretReference", "Template",
  ]

  private static let parsers = [
    "JSONDecoder", "JSONValue.parse", "JSONReader(", "XMLTree", "ExpatParser",
    "PercentEncoding.decoded",
    "Base64.decoded", "Base32.decoded",
  ]

  private struct Source {
    let name: String
    let text: String
  }

  private func sources() throws -> [Source] {
    let sources = SourceTree.sources
    return try sources.swiftFiles.filter { $0.hasPrefix("VaultCommand") }.map {
      Source(name: $0, text: try sources.text(of: $0))
    }
  }

  @Test func theCommandUsesNoParser() throws {
    let sources = try sources()
    #expect(sources.count > 40)
    for source in sources where !Self.allowed.keys.contains(where: source.name.hasPrefix) {
      for parser in Self.parsers where source.text.contains(parser) {
        Issue.record("\(source.name) uses \(parser)")
      }
    }
  }

  @Test func noTypeOfTheCommandIsNamedAfterAFormat() throws {
    let declaration = try NSRegularExpression(
      pattern: #"\b(?:struct|class|enum|actor|extension) (\w+)"#)
    for source in try sources() {
      let whole = NSRange(source.text.startIndex..., in: source.text)
      for match in declaration.matches(in: source.text, range: whole) {
        guard let range = Range(match.range(at: 1), in: source.text) else { continue }
        let name = String(source.text[range])
        let isForeign = Self.names.contains { name.hasPrefix($0) }
        #expect(!isForeign, "\(source.name) declares \(name)")
      }
    }
  }
}
