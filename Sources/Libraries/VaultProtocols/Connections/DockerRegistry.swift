import FoundationEssentials
import VaultStorage

/// One registry's line in `credHelpers` of docker's `config.json`.
///
/// One line is added or removed; all others stay as they are, byte by byte.
///
/// docs.docker.com/reference/cli/docker/login, "Credential helpers".
public struct DockerRegistry: Sendable {
  private static let key = "credHelpers"
  private static let helper = "vault"

  /// The name of the registry as docker writes it: `ghcr.io`, `localhost:5000`.
  public let name: String

  /// Creates a registry.
  ///
  /// - Parameter name: The name as docker writes it.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if it is not a registry's name.
  public init(_ name: String) throws {
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.isASCII && $0.value > 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "\\"
    }
    guard isPlain, !name.isEmpty else {
      throw ProtocolError(.invalidRequest, "not a valid registry name")
    }
    self.name = name
  }

  /// The line.
  public var setting: String { "\"\(name)\": \"\(Self.helper)\"" }

  private var block: String { "\"\(Self.key)\": {\n\t\t\(setting)\n\t}" }

  /// Adds the line.
  ///
  /// - Parameter text: The file; empty if it does not exist.
  /// - Returns: The changed text; `nil` if it has the line.
  /// - Throws: ``ProtocolError`` with code `.connectedOtherwise` if the registry has another
  ///   helper, or `.configurationUnreadable`.
  public func added(to text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return "{\n\t\(block)\n}\n" }
    let (members, helpers) = try read(text)
    switch helpers?[name]?.scalarText {
    case Self.helper: return nil
    case nil: break
    case .some:
      throw ProtocolError(
        .connectedOtherwise, "the registry has another credential helper already",
        remedy: .takeOut("its line out of \"\(Self.key)\""))
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

  /// Removes the line.
  ///
  /// - Parameter text: The file.
  /// - Returns: The changed text; `nil` if it does not have the line.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable`.
  public func removed(from text: String) throws -> String? {
    guard !text.trimmingBlanks.isEmpty else { return nil }
    let (members, helpers) = try read(text)
    guard var left = helpers, left[name]?.scalarText == Self.helper else { return nil }
    left[name] = nil
    let wanted = [tree(members, helpers: left.isEmpty ? nil : left), tree(members, helpers: left)]
    // The forms in which the line was written, or in which docker rewrites the file: last, after a
    // comma.
    let forms = [
      ("\n\t\(block),", ""), ("{\n\t\(block)\n}\n", "{}\n"), ("{\n\t\(block)\n}", "{}"),
      (",\n\t\(block)", ""), ("\n\t\(block)", ""), ("\n\t\t\(setting),", ""),
      (",\n\t\t\(setting)", ""), ("\(setting), ", ""), (", \(setting)", ""), ("\(setting),", ""),
      (",\(setting)", ""), (setting, ""), (setting.substituting(": ", with: ":"), ""),
      (setting.substituting(": ", with: ":") + ",", ""),
    ]
    for (form, rest) in forms {
      for range in text.ranges(ofBytes: form) {
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

  /// Returns the places behind all opening braces.
  private static func braces(in text: String) -> [String.Index] {
    let bytes = text.utf8
    return bytes.indices.filter { bytes[$0] == UInt8(ascii: "{") }.map { bytes.index(after: $0) }
  }

  /// Returns the places behind braces that follow the key.
  ///
  /// One of them may be inside a string, so
  /// the caller checks the result.
  private static func helperBraces(in text: String) -> [String.Index] {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    return text.ranges(ofBytes: "\"\(key)\"").compactMap { range in
      var rest = text.unicodeScalars[range.upperBound...].drop(while: isBlank)
      guard rest.popFirst() == ":" else { return nil }
      rest = rest.drop(while: isBlank)
      return rest.first == "{" ? rest.index(after: rest.startIndex) : nil
    }
  }

  private static func unreadable(_ setting: String) -> ProtocolError {
    ProtocolError(
      .configurationUnreadable,
      "docker's config.json is not in a form that can be changed safely",
      remedy: .editByHand("write or take out the line \(setting)"))
  }
}
