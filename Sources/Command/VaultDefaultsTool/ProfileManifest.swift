import FoundationEssentials
package import VaultPreferences
import VaultStorage

/// A preference manifest of the ProfileManifests project, read into a schema of ours.
///
/// `github.com/ProfileManifests/ProfileManifests/wiki`. The keys of the profile itself
/// (`PayloadUUID` and so on) are not the domain's. Keys inside of dictionaries are not described;
/// the dictionary is.
package struct ProfileManifest: Sendable {
  /// The domain.
  package let domain: String
  /// The keys.
  package private(set) var schema: PreferenceSchema
  /// Keys or parts of them that were left out, with the reason.
  package private(set) var problems: [String] = []

  /// Reads a manifest.
  ///
  /// - Parameter bytes: A property list.
  /// - Throws: ``PreferenceError`` with code `.syntax` if it is none.
  package init(_ bytes: [UInt8]) throws(PreferenceError) {
    guard case .dictionary(let root) = try PropertyList.parse(bytes),
      case .string(let domain)? = root["pfm_domain"], case .array(let keys)? = root["pfm_subkeys"]
    else {
      throw PreferenceError(.syntax, "this is not a manifest with pfm_domain and pfm_subkeys")
    }
    self.domain = domain == PreferenceDomain.globalFileName ? PreferenceDomain.globalName : domain
    schema = PreferenceSchema(Self.text(root["pfm_description"]) ?? Self.text(root["pfm_title"]))
    for element in keys {
      guard case .dictionary(let entries) = element, let name = Self.text(entries["pfm_name"]),
        !name.isEmpty
      else { continue }
      if name.begins(with: "Payload") || name.begins(with: "PFC_") { continue }
      schema.keys[name] = key(name, entries)
    }
  }

  private mutating func key(
    _ name: String, _ entries: [String: PreferenceValue]
  ) -> PreferenceSchema.Key {
    var key = PreferenceSchema.Key(name)
    switch Self.text(entries["pfm_type"]) {
    case "real", "float": key.type = "float"
    case let type?
    where ["string", "integer", "boolean", "date", "data", "array", "dictionary"].contains(type):
      key.type = type
    default: problems.append("\(name): no type")
    }
    key.description = Self.text(entries["pfm_description"]) ?? Self.text(entries["pfm_title"])
    key.format = Self.text(entries["pfm_format"])
    if case .boolean(true)? = entries["pfm_sensitive"] { key.isSensitive = true }
    if let version = Self.text(entries["pfm_macos_deprecated"])
      ?? Self.text(entries["pfm_app_deprecated"])
    {
      key.deprecation = "deprecated in \(version)"
    }
    key.minimum = limit(entries["pfm_range_min"], of: key)
    key.maximum = limit(entries["pfm_range_max"], of: key)
    var allowsOthers = false
    if case .boolean(true)? = entries["pfm_range_list_allow_custom_value"] { allowsOthers = true }
    if case .array(let values)? = entries["pfm_range_list"], !allowsOthers {
      // A list of another type than the key's limits what is in the key, not the key.
      let isOfElements = key.type == "array" || key.type == "dictionary"
      if isOfElements || values.allSatisfy({ $0.kind.rawValue == key.type }) {
        if key.type != "dictionary" { key.values = values }
        if let problem = key.problemOfChoices {
          problems.append(problem)
          key.values = []
        }
      } else {
        problems.append("\(name): values of another type than \(key.type ?? "any")")
      }
    }
    guard let value = entries["pfm_default"] else { return key }
    if let problem = key.problem(of: value) {
      problems.append("the default of \(name) does not fit: \(problem)")
    } else {
      key.defaultValue = value
    }
    return key
  }

  /// A limit of a number, or of a date.
  private mutating func limit(_ value: PreferenceValue?, of key: PreferenceSchema.Key) -> Double? {
    guard let value else { return nil }
    if case .date(let date) = value, key.type == "date" {
      return date.timeIntervalSinceReferenceDate
    }
    guard let number = Double(preferenceValue: value) else {
      problems.append("\(key.name): a limit of another type")
      return nil
    }
    return number
  }

  private static func text(_ value: PreferenceValue?) -> String? {
    guard case .string(let text)? = value else { return nil }
    let words = text.unicodeScalars.split { $0.value <= 0x20 }.map { String($0) }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }
}
