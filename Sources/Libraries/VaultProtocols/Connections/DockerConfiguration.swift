import VaultStorage

/// The setting `credsStore` in docker's `config.json`.
///
/// One line is added or removed; all others stay as they are, byte by byte.
///
/// docs.docker.com/reference/cli/docker/login, "Credential stores".
public enum DockerConfiguration {
  /// The line.
  public static let setting = "\"credsStore\": \"vault\""

  /// Adds the setting.
  ///
  /// - Parameter text: The file; empty if it does not exist.
  /// - Returns: The changed text; `nil` if it has the setting.
  /// - Throws: ``ProtocolError`` with code `.connectedOtherwise` if another store is set, or
  ///   `.configurationUnreadable`.
  public static func added(to text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return "{\n\t\(setting)\n}\n" }
    switch try store(in: text) {
    case "vault": return nil
    case nil, "": break
    case .some:
      throw ProtocolError(
        .connectedOtherwise, "docker keeps its credentials in another store already",
        remedy: .takeOut("\"credsStore\" out of the file"))
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

  /// Removes the setting.
  ///
  /// - Parameter text: The file.
  /// - Returns: The changed text; `nil` if it does not have the setting.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`.
  public static func removed(from text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty, try store(in: text) == "vault" else { return nil }
    // The forms in which the line was written, or in which docker rewrites the file: last, after a
    // comma.
    let forms = [
      ("\n\t\(setting),", ""), ("{\n\t\(setting)\n}\n", "{}\n"), ("{\n\t\(setting)\n}", "{}"),
      (",\n\t\(setting)", ""), ("\n\t\(setting)", ""), ("\(setting),", ""), (setting, ""),
    ]
    for (form, rest) in forms {
      guard let range = text.firstRange(ofBytes: form) else { continue }
      var result = text
      result.replaceSubrange(range, with: rest)
      if isWithoutStore(result) { return result }
    }
    throw unreadable()
  }

  /// The registries whose passwords or tokens lie in the file itself, in base64.
  package static func registriesWithPasswords(in text: String) -> [String] {
    guard let document = try? JSONValue.parse(Array(text.utf8)), let registries = document["auths"]
    else { return [] }
    return registries.sortedMembers.filter { member in
      ["auth", "identitytoken", "password"].contains { name in
        member.value[name]?.scalarText.map { !$0.isEmpty } ?? false
      }
    }.map(\.name)
  }

  /// Whether docker asks the vault, for all registries or for one.
  ///
  /// - Parameter text: The file.
  /// - Returns: Whether it does; `false` for a text that is not docker's.
  package static func usesVault(_ text: String) -> Bool {
    guard let document = try? JSONValue.parse(Array(text.utf8)) else { return false }
    return document["credsStore"]?.scalarText == "vault"
      || document["credHelpers"]?.sortedMembers.contains { $0.value.scalarText == "vault" } ?? false
  }

  private static func isWithoutStore(_ text: String) -> Bool {
    do { return try store(in: text) == nil } catch { return false }
  }

  private static func store(in text: String) throws -> String? {
    do {
      return try RequestObject(text).textIfAny("credsStore")
    } catch {
      throw unreadable()
    }
  }

  private static func unreadable() -> ProtocolError {
    ProtocolError(
      .configurationUnreadable,
      "docker's config.json is not in a form that can be changed safely",
      remedy: .editByHand("write or take out the line \(setting)"))
  }
}
