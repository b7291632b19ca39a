import Foundation
import Testing

/// Imports point down, siblings never meet: the picture of ARCHITECTURE.md as a table.
struct LayeringTests {
  /// Which of our modules each target may import.
  static let allowed: [String: Set<String>] = [
    "vault": ["VaultCommand", "CVaultArguments"],
    // Nothing of it is linked into the command.
    "vault-helper": [
      "VaultKeyringService", "VaultSSHAgent", "VaultSSHKeys", "VaultBrowser",
      "VaultServerEngines", "VaultDBus", "VaultProtocols", "VaultCredentials", "VaultTerminal",
      "VaultRedaction",
      "VaultStorage", "VaultSealing", "CVaultLinux", "CVaultArguments",
    ],
    "VaultCommand": [
      "VaultCommandCore", "VaultCompletion", "VaultPreferences", "VaultCredentials",
      "VaultExchange",
      "VaultOneTimeCodes",
      "VaultPasswords", "VaultProtocols", "VaultTerminal", "VaultDefaultsTool", "VaultDataStore",
      "VaultDataImport", "VaultRedaction", "VaultSync", "VaultSyncEngines", "VaultDataSync",
      "VaultStorage",
      "VaultSealing", "CVaultLinux",
    ],
    "VaultCompletion": [
      "VaultCommandCore", "VaultDefaultsTool", "VaultPreferences", "VaultCredentials",
      "VaultProtocols", "VaultDataStore", "VaultStorage", "VaultSealing",
    ],
    "VaultCommandCore": [
      "VaultPreferences", "VaultCredentials", "VaultExchange", "VaultOneTimeCodes",
      "VaultPasswords", "VaultProtocols", "VaultSync", "VaultSyncEngines", "VaultDataSync",
      "VaultTerminal",
      "VaultKeyringTransport", "VaultDBus", "VaultDataStore", "VaultStorage", "VaultSealing",
      "CVaultLinux",
    ],
    "VaultDefaultsTool": [
      "VaultPreferences", "VaultDBus", "VaultTerminal", "VaultStorage", "VaultSealing",
      "CVaultLinux",
    ],
    "VaultDBus": ["VaultSealing", "CVaultLinux"],
    "VaultKeyringService": [
      "VaultKeyringTransport", "VaultDBus", "VaultCredentials", "VaultStorage", "VaultSealing",
    ],
    "VaultSSHKeys": ["VaultSealing", "CVaultMbedCrypto"],
    "VaultSSHAgent": [
      "VaultSSHKeys", "VaultDBus", "VaultCredentials", "VaultStorage", "VaultSealing",
    ],
    "VaultBrowser": [
      "VaultProtocols", "VaultOneTimeCodes", "VaultPasswords", "VaultCredentials", "VaultStorage",
      "VaultSealing",
    ],
    "VaultKeyringTransport": [
      "VaultDBus", "VaultCredentials", "VaultSealing", "CVaultMbedCrypto",
    ],
    "VaultProtocols": [
      "VaultCredentials", "VaultOneTimeCodes", "VaultStorage", "VaultSealing",
    ],
    "VaultSync": ["VaultCredentials", "VaultStorage", "VaultSealing"],
    "VaultDataSync": [
      "VaultSync", "VaultCredentials", "VaultDataStore", "VaultStorage", "VaultSealing",
    ],
    "VaultSyncEngines": ["VaultSync", "VaultTerminal", "VaultStorage", "VaultSealing"],
    "VaultServerEngines": [
      "VaultSyncEngines", "VaultSync", "VaultTerminal", "VaultStorage", "VaultSealing",
      "CVaultCurl", "CVaultPostgres",
    ],
    "VaultExchange": [
      "VaultCredentials", "VaultOneTimeCodes", "VaultPreferences", "VaultStorage", "VaultSealing",
    ],
    "VaultOneTimeCodes": ["VaultSealing", "CVaultMbedCrypto"],
    "VaultPasswords": ["VaultSealing"],
    "VaultRedaction": ["VaultSealing"],
    "VaultTerminal": ["VaultRedaction", "VaultStorage", "VaultSealing", "CVaultLinux"],
    "VaultPreferences": ["VaultStorage", "VaultSealing", "CVaultExpat", "CVaultTOML"],
    "VaultCredentials": ["VaultStorage", "VaultSealing", "CVaultSecret", "CVaultLinux"],
    "VaultCredentialsFoundation": ["VaultCredentials", "VaultStorageFoundation", "VaultSealing"],
    "VaultPreferencesConfiguration": ["VaultPreferences"],
    "VaultPreferencesFoundation": ["VaultPreferences", "VaultStorageFoundation"],
    "VaultStorageFoundation": ["VaultStorage"],
    "VaultUserDefaults": ["VaultPreferences"],
    "VaultCredentialsTesting": ["VaultCredentials", "VaultStorage", "VaultSealing"],
    "VaultAppData": [
      "VaultDataStore", "VaultStorage", "VaultStorageFoundation", "VaultSealing",
      "CVaultSwiftRuntime",
    ],
    "VaultAppDataObservability": ["VaultAppData"],
    "SwiftData": ["VaultAppData"],
    "Security": ["VaultCredentials", "VaultStorage", "VaultSealing"],
    "VaultAppDataMacros": [],
    "ParserEssentials": [],
    "VaultDataImport": [
      "VaultDataStore", "VaultPreferences", "VaultStorage", "VaultSealing", "CVaultZlib",
    ],
    "VaultDataStore": ["VaultStorage"],
    "VaultStorage": ["CVaultSQLite", "CVaultLinux"],
    "VaultSealing": ["CVaultSodium", "CVaultLinux"],
  ]

  /// Modules from outside that only the named targets may import.
  static let restricted: [String: Set<String>] = [
    "ArgumentParser": ["VaultCommand", "vault"],
    "SwiftSyntax": ["VaultAppDataMacros"],
    "SwiftSyntaxMacros": ["VaultAppDataMacros"],
    "Configuration": ["VaultPreferencesConfiguration"],
    "Logging": ["VaultAppDataObservability"],
    "CoreMetrics": ["VaultAppDataObservability"],
    // Corelibs' Foundation would pull ICU into the command.
    "Foundation": [
      "Security", "VaultAppData", "VaultCredentialsFoundation", "VaultPreferencesFoundation",
      "VaultStorageFoundation", "VaultUserDefaults",
    ],
  ]

  @Test func everyTargetIsInTheTable() throws {
    let names = SourceTree.sources.targets.filter { $0.key != "Shims" }.values.joined()
    #expect(Set(names) == Set(Self.allowed.keys))
  }

  /// `ls Sources` shows the storeys, and a target of a lower one takes nothing of a higher one.
  @Test func eachTargetLiesInItsStorey() throws {
    let storeys = SourceTree.sources.targets
    #expect(Set(storeys.keys) == ["Command", "Helper", "Libraries", "Shims"])
    for target in storeys["Shims"] ?? [] { #expect(target.hasPrefix("CVault"), "\(target)") }
    let below = Set((storeys["Libraries"] ?? []) + (storeys["Shims"] ?? []))
    for target in storeys["Libraries"] ?? [] {
      #expect(Self.allowed[target]?.subtracting(below) == [], "\(target)")
    }
    // What the command starts, it does not link, nor the other way round.
    for (one, other) in [("Command", "Helper"), ("Helper", "Command")] {
      for target in storeys[one] ?? [] {
        let shared = Self.allowed[target]?.intersection(storeys[other] ?? [])
        #expect(shared == [], "\(target)")
      }
    }
  }

  @Test func importsPointDown() throws {
    for (target, allowed) in Self.allowed {
      for name in SourceTree.sources.swiftFiles(of: target) {
        for imported in try imports(of: name) {
          if Self.allowed[imported] != nil || imported.hasPrefix("CVault") {
            #expect(allowed.contains(imported), "\(name) imports \(imported)")
          }
          if let targets = Self.restricted[imported] {
            #expect(targets.contains(target), "\(name) imports \(imported)")
          }
        }
      }
    }
  }

  /// The fuzzers' package builds the same sources, and nothing but `make fuzz` would notice.
  @Test func fuzzersAreBuiltWithTheSameDependencies() throws {
    let text = try SourceTree("Tests").text(of: "Fuzz/Package.swift")
    let target = /\.target\(\s*name: "(?<name>\w+)",\s*dependencies: \[(?<list>[^\]]*)\]/
    var named: [String: Set<String>] = [:]
    for match in text.matches(of: target) {
      let modules = match.list.matches(of: /"(\w+)"/).map { String($0.1) }
      named[String(match.name)] = Set(modules).intersection(
        Self.allowed.keys.filter { $0 != match.name }
          + modules.filter { $0.hasPrefix("CVault") })
    }
    #expect(named["VaultCommand"] != nil, "the manifest is read")
    for (name, modules) in named {
      if let allowed = Self.allowed[name] { #expect(modules == allowed, "\(name)") }
    }
    for name in named.values.joined() where Self.allowed[name] != nil {
      #expect(named[name] != nil, "\(name) is a target there")
    }
  }

  private func imports(of file: String) throws -> [String] {
    try SourceTree.sources.text(of: file).split(separator: "\n").compactMap { line in
      var words = line.split(separator: " ").map(String.init)
      while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
        words.removeFirst()
      }
      guard words.count >= 2, words[0] == "import" else { return nil }
      let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let name = kinds.contains(words[1]) && words.count > 2 ? words[2] : words[1]
      return name.split(separator: ".").first.map(String.init)
    }
  }

  private var modifiers: Set<String> {
    ["public", "package", "internal", "private", "fileprivate"]
  }
}
