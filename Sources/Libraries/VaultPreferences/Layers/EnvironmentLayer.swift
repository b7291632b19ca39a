import VaultStorage

/// Preferences in the environment: `TOOL_FONT_SIZE` is `fontSize` of a program with the prefix
/// `TOOL`.
///
/// A name is written in capitals, with an underscore for a dot, a hyphen, a blank, and before a
/// capital that follows a small letter or begins the last of several.
package struct EnvironmentLayer: Sendable {
  /// The prefix, without its underscore.
  package let prefix: String
  private let variables: [String: String]

  /// - Parameters:
  ///   - prefix: The prefix that a schema names.
  ///   - variables: The environment, which is read once.
  package init(prefix: String, variables: [String: String]) {
    self.prefix = prefix
    self.variables = variables.filter { $0.key.begins(with: "\(prefix)_") }
  }

  /// Whether no variable has the prefix.
  package var isEmpty: Bool { variables.isEmpty }

  /// The variable of a key.
  package func name(of key: String) -> String { "\(prefix)_\(Self.words(key))" }

  private static func words(_ key: String) -> String {
    let scalars = Array(key.unicodeScalars)
    func isSmall(_ index: Int) -> Bool {
      scalars.indices.contains(index)
        && (0x61...0x7a ~= scalars[index].value || 0x30...0x39 ~= scalars[index].value)
    }
    func isCapital(_ index: Int) -> Bool {
      scalars.indices.contains(index) && 0x41...0x5a ~= scalars[index].value
    }
    var result = ""
    for index in scalars.indices {
      if isCapital(index), index > 0,
        isSmall(index - 1) || isCapital(index - 1) && isSmall(index + 1)
      {
        result += "_"
      }
      let scalar = scalars[index]
      if isSmall(index), scalar.value >= 0x61 {
        result.unicodeScalars.append(Unicode.Scalar(scalar.value - 32) ?? scalar)
      } else if isSmall(index) || isCapital(index) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "_"
      }
    }
    return result
  }

  /// A key's value in the environment; `nil` if there is none, or none of its type.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - type: What `read-type` prints of its values; `nil` for a text.
  /// - Returns: The value and the variable.
  package func value(of key: String, type: String?) -> FileValue? {
    let name = name(of: key)
    guard let text = variables[name], let value = Self.value(text, type) else { return nil }
    return FileValue(value: value, file: name)
  }

  /// What is wrong with a key's variable; `nil` if nothing is.
  package func problem(of key: String, type: String?) -> PreferenceError? {
    let name = name(of: key)
    guard let text = variables[name], Self.value(text, type) == nil else { return nil }
    return PreferenceError(
      .typeMismatch, "the variable \(name) is not of type \(type ?? "string"); it was left out")
  }

  /// A text as a value of a type; arrays and dictionaries are JSON, an array also words with commas.
  static func value(_ text: String, _ type: String?) -> PreferenceValue? {
    switch type {
    case nil, "string": return .string(text)
    case "integer":
      return Int64(text).map { .integer($0) } ?? UInt64(text).map { PreferenceValue(unsigned: $0) }
    case "float": return Double(exactText: text).map { .real($0) }
    case "boolean":
      switch text.lowercased() {
      case "1", "true", "yes", "on": return true
      // An empty variable is one that is as good as not set: it switches nothing.
      case "0", "false", "no", "off": return false
      default: return nil
      }
    case "data": return Base64Text.decode(text.utf8).map { .data($0) }
    case "date":
      guard case .date(let date)? = JSONText.value(tagged: "$date", .string(text)) else {
        return nil
      }
      return .date(date)
    case "array":
      if case .array(let elements)? = try? JSONText.parse(Array(text.utf8)) {
        return .array(elements)
      }
      return .array(text.parts(at: ",").map { .string(String($0)) })
    case "dictionary":
      guard case .dictionary(let entries)? = try? JSONText.parse(Array(text.utf8)) else {
        return nil
      }
      return .dictionary(entries)
    default: return nil
    }
  }
}
