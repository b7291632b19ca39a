import FoundationEssentials
import VaultStorage

/// `credsStore` in docker's `config.json`: one line in, one line out, the rest byte by byte as it was.
///
/// docs.docker.com/reference/cli/docker/login, "Credential stores".
package enum DockerConfiguration {
  package static let setting = "\"credsStore\": \"vault\""

  private struct Settings: Decodable {
    var credsStore: String?
  }

  /// The text with the setting; `nil` where it is there.
  ///
  /// - Throws: ``CommandError`` with code `connected-otherwise` where another store is set, or
  ///   `configuration-unreadable`.
  package static func added(to text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return "{\n\t\(setting)\n}\n" }
    switch try store(in: text) {
    case "vault": return nil
    case nil, "": break
    case .some:
      throw CommandError(
        .connectedOtherwise, "docker keeps its credentials in another store already",
        hint: "take \"credsStore\" out of the file, and connect again")
    }
    guard let brace = text.unicodeScalars.firstIndex(of: "{") else { throw unreadable() }
    let behind = text.unicodeScalars.index(after: brace)
    let rest = text[behind...]
    let isEmpty = rest.trimmingBlanks.begins(with: "}")
    let end = isEmpty ? (rest.unicodeScalars.contains("\n") ? "" : "\n") : ","
    let result = text[..<behind] + "\n\t\(setting)\(end)" + rest
    guard try store(in: String(result)) == "vault" else { throw unreadable() }
    return String(result)
  }

  /// The text without the setting; `nil` where it is not there.
  package static func removed(from text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty, try store(in: text) == "vault" else { return nil }
    // As it was written, alone in the object, or as docker itself writes it: last, after a comma.
    let forms = [
      ("\n\t\(setting),", ""), ("{\n\t\(setting)\n}\n", "{}\n"), ("{\n\t\(setting)\n}", "{}"),
      (",\n\t\(setting)", ""), ("\n\t\(setting)", ""), ("\(setting),", ""), (setting, ""),
    ]
    for (form, rest) in forms {
      guard let range = text.utf8.firstRange(of: form.utf8) else { continue }
      var result = text
      result.replaceSubrange(range, with: rest)
      if isWithoutStore(result) { return result }
    }
    throw unreadable()
  }

  private static func isWithoutStore(_ text: String) -> Bool {
    do { return try store(in: text) == nil } catch { return false }
  }

  private static func store(in text: String) throws -> String? {
    do {
      return try JSONDecoder().decode(Settings.self, from: Data(text.utf8)).credsStore
    } catch {
      throw unreadable()
    }
  }

  private static func unreadable() -> CommandError {
    CommandError(
      .configurationUnreadable,
      "docker's config.json is not in a form that can be changed safely",
      hint: "write or take out the line \(setting) yourself")
  }
}
