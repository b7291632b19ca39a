import VaultPreferences

/// A domain that verbs can change, in the store or in a file.
protocol DefaultsEditing {
  var exists: Bool { get throws }
  func value(_ key: String) throws -> PreferenceValue?
  func contents() throws -> [String: PreferenceValue]?
  func set(_ value: PreferenceValue, _ key: String) throws
  func remove(_ key: String) throws -> Bool
  func removeDomain() throws -> Bool
  func replace(by entries: [String: PreferenceValue]) throws
}

struct StoredDomain: DefaultsEditing {
  let transaction: PreferenceTransaction
  let domain: PreferenceDomain

  var exists: Bool { get throws { try transaction.exists(domain) } }

  func value(_ key: String) throws -> PreferenceValue? {
    try transaction.value(key, in: domain)
  }

  func contents() throws -> [String: PreferenceValue]? { try transaction.contents(of: domain) }

  func set(_ value: PreferenceValue, _ key: String) throws {
    try transaction.set(value, key, in: domain)
  }

  func remove(_ key: String) throws -> Bool { try transaction.remove(key, in: domain) }

  func removeDomain() throws -> Bool { try transaction.removeDomain(domain) }

  /// The version of the schema stays unless `entries` has one.
  func replace(by entries: [String: PreferenceValue]) throws {
    try transaction.replace(
      domain, by: PreferenceSchema.keepingVersion(entries, of: try contents() ?? [:]))
  }
}

final class FileDomain: DefaultsEditing {
  var entries: [String: PreferenceValue]?

  init(entries: [String: PreferenceValue]?) { self.entries = entries }

  var exists: Bool { entries != nil }

  func value(_ key: String) -> PreferenceValue? {
    entries?.otherSpelling(of: key) == nil ? entries?[key] : nil
  }

  func contents() -> [String: PreferenceValue]? { entries }

  func set(_ value: PreferenceValue, _ key: String) throws {
    guard entries?.otherSpelling(of: key) == nil else {
      throw DefaultsRefusal("\([String: Bool].twice(key))\nDefaults have not been changed.")
    }
    entries = (entries ?? [:]).merging([key: value]) { $1 }
  }

  func remove(_ key: String) -> Bool {
    guard entries?.otherSpelling(of: key) == nil else { return false }
    return entries?.removeValue(forKey: key) != nil
  }

  func removeDomain() -> Bool {
    defer { entries = nil }
    return entries != nil
  }

  func replace(by entries: [String: PreferenceValue]) { self.entries = entries }
}
