import VaultCredentials
import VaultStorage

/// `~/.cargo/credentials.toml`: `token` in `[registry]`, and in `[registries.NAME]`.
///
/// doc.rust-lang.org/cargo/reference/config.html, "Credentials". Only what cargo itself writes is
/// read: a text in quotes without escapes on a line of its own, and a comment behind it, which stays.
enum CargoClearText: ClearTextFormat {
  private static let prefix = "registries."

  /// The text of a value, and the comment behind it; `nil` for what cargo itself does not write.
  private static func parts(of value: String) -> (text: String, comment: String)? {
    let value = value.trimmingBlanks
    guard let quote = value.utf8.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = value.utf8.dropFirst().firstIndex(of: quote)
    else { return nil }
    let inner = String(value[value.utf8.index(after: value.startIndex)..<end])
    let comment = String(value[value.utf8.index(after: end)...]).trimmingBlanks
    guard !inner.isEmpty, !inner.utf8.contains(UInt8(ascii: "\\")),
      comment.isEmpty || comment.begins(with: "#")
    else { return nil }
    return (inner, comment)
  }

  private static func text(_ value: String) -> String? { parts(of: value)?.text }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let lines = SettingLines(text)
    return try lines.sections.compactMap { section in
      guard section == "registry" || section.begins(with: prefix),
        let token = try lines.value("token", in: section).flatMap(self.text)
      else { return nil }
      let name = section == "registry" ? nil : String(section.dropFirst(prefix.count)).withoutQuotes
      return try .inVariable(
        section, token, name: ["cargo", name ?? "crates-io"],
        [ServiceCredential.client: "cargo", ServiceCredential.server: section],
        name.map { "CARGO_REGISTRIES_\(ClearTextSecret.variable($0))_TOKEN" }
          ?? "CARGO_REGISTRY_TOKEN")
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    var lines = SettingLines(text)
    for section in entries {
      lines.remove(["token"], in: section) { line in
        parts(of: line.value).map(\.comment).flatMap { $0.isEmpty ? nil : $0 }
      }
    }
    return lines.text
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    guard self.text("\"\(value.main)\"") != nil, ServiceCredential.isPlain(value.main) else {
      throw ClearTextProgram.unreadable("the token has a quote or a backslash")
    }
    var lines = SettingLines(text)
    lines.add(["token = \"\(value.main)\""], in: value.entry)
    return lines.text
  }

  static func doubtfulLines(in text: String) -> [Int] {
    lines(in: text, comments: ["#"]) { sets(["token", "secret-key"], $0) }
  }
}
