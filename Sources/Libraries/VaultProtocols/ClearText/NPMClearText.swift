import VaultCredentials
import VaultStorage

/// `~/.npmrc`: `//registry/:_authToken=TOKEN`, also `_auth` and `_password`.
///
/// docs.npmjs.com/cli/configuring-npm/npmrc, "Auth related configuration". What goes is replaced by a
/// variable, as npm reads it; a token that is one already is none.
enum NPMClearText: ClearTextFormat {
  private static let names = ["_authtoken", "_auth", "_password"]

  /// The setting of a line in its own letters, if it holds a secret that is understood.
  private static func entry(_ line: SettingLines.Line) -> String? {
    guard let key = line.key, !line.value.isEmpty, value(line.value) != nil,
      names.contains(where: { key.isSame(as: $0) || key.ends(with: ":" + $0) })
    else { return nil }
    return line.text.halves(at: "=").map { $0.before.trimmingBlanks }
  }

  /// What npm reads for a value, without the quotes around it; `nil` where it is more than a text: with
  /// a variable, a comment, or a backslash.
  ///
  /// npm's `ini`: a quoted value is read as JSON, if it is that.
  private static func value(_ text: String) -> String? {
    guard !text.contains(bytes: "${") else { return nil }
    for quote in ["\"", "'"] where text.begins(with: quote) && text.ends(with: quote) {
      guard text.utf8.count > 2 else { return nil }
      let inner = String(text.dropFirst().dropLast())
      let isOther =
        quote == "'" ? "\"{[".utf8.contains(inner.utf8.first ?? 0) : inner.contains(bytes: "\\")
      return isOther || inner.contains(bytes: quote) ? nil : inner
    }
    return text.utf8.contains { ";#\\".utf8.contains($0) } ? nil : text
  }

  /// A text so that npm reads it again.
  private static func written(_ text: String) -> String {
    if value(text)?.isSame(as: text) == true, !text.contains(bytes: "\"") { return text }
    return text.contains(bytes: "\"") || text.contains(bytes: "\\") ? "'\(text)'" : "\"\(text)\""
  }

  private static func registry(_ entry: String) -> String {
    guard entry.begins(with: "//"), let end = entry.firstRange(ofBytes: "/:_") else { return "" }
    return String(entry[..<end.lowerBound].dropFirst(2))
  }

  /// The variables of the entries: `NPM_TOKEN` of the public registry, and of another one with its
  /// name.
  ///
  /// Each has its own, which no other line of the file takes: what a variable is given would go there,
  /// too.
  private static func variables(in lines: SettingLines) -> [String: String] {
    var variables: [String: String] = [:]
    // Also `${NAME?}` and `${NAME-…}`.
    let values = lines.lines.map(\.value).filter { $0.contains(bytes: "${") }
    func isTaken(_ name: String) -> Bool {
      variables.values.contains(name)
        || values.contains { value in
          ["}", "?", "-", ":"].contains { value.contains(bytes: "${\(name)\($0)") }
        }
    }
    for line in lines.lines {
      guard let entry = entry(line), variables[entry] == nil else { continue }
      let registry = registry(entry)
      let kind = entry.lowercased().ends(with: "_authtoken") ? "TOKEN" : "PASSWORD"
      let own = "NPM_\(kind)_\(ClearTextSecret.variable(registry.isEmpty ? "registry" : registry))"
      let isPublic = registry.isEmpty || registry.isSame(as: "registry.npmjs.org")
      let first = (isPublic ? ["NPM_\(kind)"] : []) + [own]
      let name =
        first.first { !isTaken($0) }
        ?? (2...).lazy.map { "\(own)_\($0)" }.first { !isTaken($0) }
      variables[entry] = name
    }
    return variables
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let lines = SettingLines(text)
    let variables = variables(in: lines)
    return try lines.lines.compactMap { line in
      guard let entry = entry(line), let value = value(line.value),
        let variable = variables[entry]
      else { return nil }
      let registry = registry(entry)
      return try .inVariable(
        entry, value,
        name: ["npm"]
          + (registry.isEmpty ? ["registry"] : registry.parts(at: "/").map(String.init)),
        [ServiceCredential.client: "npm", ServiceCredential.server: entry],
        variable)
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    let lines = SettingLines(text)
    let variables = variables(in: lines)
    return lines.lines.map { line in
      guard let entry = entry(line), entries.contains(entry), let variable = variables[entry] else {
        return line.text
      }
      return "\(entry)=${\(variable)}"
    }.joined(separator: "\n")
  }

  static func adding(_ value: ClearTextValue, to text: String) -> String {
    let entry = value.entry
    let own = "\(entry)=\(written(value.main))"
    let lines = SettingLines(text).lines.map(\.text)
    let isIts = { (line: String) in
      guard let (name, rest) = line.halves(at: "=") else { return false }
      let variable = rest.trimmingBlanks
      return name.trimmingBlanks.isSame(as: entry) && variable.begins(with: "${NPM_")
        && variable.ends(with: "}")
    }
    if let place = lines.firstIndex(where: isIts) {
      var lines = lines
      lines[place] = own
      return lines.joined(separator: "\n")
    }
    return text.isEmpty || text.ends(with: "\n") ? "\(text)\(own)\n" : "\(text)\n\(own)\n"
  }

  static func doubtfulLines(in text: String) -> [Int] {
    lines(in: text) { line in
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
