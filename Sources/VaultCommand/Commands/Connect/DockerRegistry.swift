import FoundationEssentials
import VaultStorage

/// One registry's line in `credHelpers` of docker's `config.json`; the rest stays byte by byte as it was.
///
/// docs.docker.com/reference/cli/docker/login, "Credential helpers".
package struct DockerRegistry: Sendable {
  private static let key = "credHelpers"
  private static let helper = "vault"

  /// The registry, as docker writes it: `ghcr.io`, `localhost:5000`.
  package let name: String

  /// - Throws: ``CommandError`` with code `usage` for what is no registry.
  package init(_ name: String) throws {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "\\"
    }
    guard isPlain, !name.isEmpty else { throw CommandError.usage("this is no name of a registry") }
    self.name = name
  }

  /// The line.
  package var setting: String { "\"\(name)\": \"\(Self.helper)\"" }

  private var block: String { "\"\(Self.key)\": {\n\t\t\(setting)\n\t}" }

  /// The text with the line; `nil` where it is there.
  ///
  /// - Throws: ``CommandError`` with code `connected-otherwise` where the registry has another helper, or
  ///   `configuration-unreadable`.
  package func added(to text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return "{\n\t\(block)\n}\n" }
    let (members, helpers) = try read(text)
    switch helpers?[name]?.scalarText {
    case Self.helper: return nil
    case nil: break
    case .some:
      throw CommandError(
        .connectedOtherwise, "the registry has another credential helper already",
        hint: "take its line out of \"\(Self.key)\", and connect again")
    }
    let wanted = tree(
      members, helpers: (helpers ?? [:]).merging([name: .string(Self.helper)]) { $1 })
    let places = helpers == nil ? Self.braces(in: text).prefix(1) : Self.helperBraces(in: text)[...]
    for place in places {
      let rest = text[place...]
      let isEmpty = rest.trimmingBlanks.begins(with: "}")
      let inserted: String
      if helpers != nil {
        inserted = isEmpty ? setting : "\n\t\t\(setting),"
      } else {
        inserted =
          "\n\t\(block)" + (isEmpty ? (rest.unicodeScalars.contains("\n") ? "" : "\n") : ",")
      }
      let result = text[..<place] + inserted + rest
      if Self.holds(String(result), wanted) { return String(result) }
    }
    throw Self.unreadable(setting)
  }

  /// The text without the line; `nil` where it is not there.
  package func removed(from text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return nil }
    let (members, helpers) = try read(text)
    guard var left = helpers, left[name]?.scalarText == Self.helper else { return nil }
    left[name] = nil
    let wanted = [tree(members, helpers: left.isEmpty ? nil : left), tree(members, helpers: left)]
    // As it was written, alone in the object, or as docker itself writes it: last, after a comma.
    let forms = [
      ("\n\t\(block),", ""), ("{\n\t\(block)\n}\n", "{}\n"), ("{\n\t\(block)\n}", "{}"),
      (",\n\t\(block)", ""), ("\n\t\(block)", ""), ("\n\t\t\(setting),", ""),
      (",\n\t\t\(setting)", ""), ("\(setting), ", ""), (", \(setting)", ""), ("\(setting),", ""),
      (",\(setting)", ""), (setting, ""), (setting.substituting(": ", with: ":"), ""),
      (setting.substituting(": ", with: ":") + ",", ""),
    ]
    for (form, rest) in forms {
      for range in text.utf8.ranges(of: form.utf8) {
        var result = text
        result.replaceSubrange(range, with: rest)
        if wanted.contains(where: { Self.holds(result, $0) }) { return result }
      }
    }
    throw Self.unreadable(setting)
  }

  private func read(
    _ text: String
  ) throws -> (members: [String: JSONValue], helpers: [String: JSONValue]?) {
    guard
      let (tree, repeated) = try? JSONValue.parse(Array(text.utf8)).removingRepeatedMembers(),
      case .object(let list) = tree, repeated.isEmpty
    else { throw Self.unreadable(setting) }
    let members = Dictionary(uniqueKeysWithValues: list)
    switch members[Self.key] {
    case .object(let helpers):
      return (members, Dictionary(uniqueKeysWithValues: helpers))
    case nil: return (members, nil)
    default: throw Self.unreadable(setting)
    }
  }

  private func tree(_ members: [String: JSONValue], helpers: [String: JSONValue]?) -> JSONValue {
    var members = members
    members[Self.key] = helpers.map(Self.object)
    return Self.object(members)
  }

  private static func object(_ members: [String: JSONValue]) -> JSONValue {
    .object(members.map { ($0.key, $0.value) })
  }

  private static func holds(_ text: String, _ tree: JSONValue) -> Bool {
    (try? JSONValue.parse(Array(text.utf8))) == tree
  }

  /// The places behind every opening brace.
  private static func braces(in text: String) -> [String.Index] {
    let bytes = text.utf8
    return bytes.indices.filter { bytes[$0] == UInt8(ascii: "{") }.map { bytes.index(after: $0) }
  }

  /// The places behind the braces that follow the key: what stands in a text may look like one, too.
  private static func helperBraces(in text: String) -> [String.Index] {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    return text.utf8.ranges(of: "\"\(key)\"".utf8).compactMap { range in
      var rest = text.unicodeScalars[range.upperBound...].drop(while: isBlank)
      guard rest.popFirst() == ":" else { return nil }
      rest = rest.drop(while: isBlank)
      return rest.first == "{" ? rest.index(after: rest.startIndex) : nil
    }
  }

  private static func unreadable(_ setting: String) -> CommandError {
    CommandError(
      .configurationUnreadable,
      "docker's config.json is not in a form that can be changed safely",
      hint: "write or take out the line \(setting) yourself")
  }
}
