import VaultCredentials
import VaultStorage

/// `~/.npmrc`: `//registry/:_authToken=TOKEN`, also `_auth` and `_password`.
///
/// docs.npmjs.com/cli/configuring-npm/npmrc, "Auth related configuration". What goes is replaced by a
/// variable, as npm reads it; a token that is one already is none.
enum NPMClearText: ClearTextFormat {
  private static let names = ["_authtoken", "_auth", "_password"]

  /// The setting of a line in its own letters, if it holds a secret.
  private static func entry(_ line: SettingLines.Line) -> String? {
    guard let key = line.key, !line.value.isEmpty, !line.value.begins(with: "${"),
      names.contains(where: { key.isSame(as: $0) || key.ends(with: ":" + $0) })
    else { return nil }
    return line.text.halves(at: "=").map { $0.before.trimmingBlanks }
  }

  private static func registry(_ entry: String) -> String {
    guard entry.begins(with: "//"), let end = entry.firstRange(ofBytes: "/:_") else { return "" }
    return String(entry[..<end.lowerBound].dropFirst(2))
  }

  /// `NPM_TOKEN` of the public registry, and of another one with its name.
  private static func variable(_ entry: String) -> String {
    let registry = registry(entry)
    let kind = entry.lowercased().ends(with: "_authtoken") ? "TOKEN" : "PASSWORD"
    return registry.isEmpty || registry.isSame(as: "registry.npmjs.org")
      ? "NPM_\(kind)" : "NPM_\(kind)_\(ClearTextSecret.variable(registry))"
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    try SettingLines(text).lines.compactMap { line in
      guard let entry = entry(line) else { return nil }
      let registry = registry(entry)
      return try .inVariable(
        entry, line.value.withoutQuotes,
        name: ["npm"]
          + (registry.isEmpty ? ["registry"] : registry.parts(at: "/").map(String.init)),
        [ServiceCredential.client: "npm", ServiceCredential.server: entry], variable(entry))
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    SettingLines(text).lines.map { line in
      guard let entry = entry(line), entries.contains(entry) else { return line.text }
      return "\(entry)=${\(variable(entry))}"
    }.joined(separator: "\n")
  }

  static func adding(_ value: ClearTextValue, to text: String) -> String {
    let own = "\(value.entry)=\(value.main)"
    let variable = "\(value.entry)=${\(variable(value.entry))}"
    let lines = SettingLines(text).lines.map(\.text)
    if let place = lines.firstIndex(where: { $0.trimmingBlanks.isSame(as: variable) }) {
      var lines = lines
      lines[place] = own
      return lines.joined(separator: "\n")
    }
    return text.isEmpty || text.ends(with: "\n") ? "\(text)\(own)\n" : "\(text)\n\(own)\n"
  }

  static func doubtfulLine(in text: String) -> Int? {
    line(in: text) { line in
      sets(names, line) || line.lowercased().contains(bytes: "proxy") && line.hasPasswordInAddress
    }
  }
}

extension String {
  /// The text without the double quotes around it.
  var withoutQuotes: String {
    utf8.count >= 2 && begins(with: "\"") && ends(with: "\"")
      ? String(dropFirst().dropLast()) : self
  }

  /// Whether it has an address with a password before its `@`, or what is too long for a user's name.
  var hasPasswordInAddress: Bool {
    guard let scheme = firstRange(ofBytes: "://") else { return false }
    let place = self[scheme.upperBound...].utf8.prefix { $0 != 0x2F && $0 != 0x20 }
    guard let at = place.lastIndex(of: 0x40) else { return false }
    let account = place[..<at]
    if let colon = account.firstIndex(of: 0x3A) {
      let password = account[account.index(after: colon)...]
      return account.count >= 20 || !password.isEmpty && !password.starts(with: "${".utf8)
    }
    return account.count >= 20 && !account.starts(with: "${".utf8)
  }
}
