/// The values that the administrator has fixed, in property lists that only the administrator can
/// write.
///
/// `DOMAIN.plist` holds the values of one domain; a `.mobileconfig` profile those of several,
/// either as payloads of the domain's own type or as `com.apple.ManagedClient.preferences`. Later
/// file names win over earlier ones, and `DOMAIN.plist` over profiles. A value that is fixed in the
/// global domain is fixed for every application, unless its own domain fixes another value.
package struct ManagedPreferences: Sendable {
  /// The directory; see Documentation/preferences.md.
  package static let defaultDirectory = "/etc/vault/managed"

  /// A fixed value, and the file that fixes it.
  package typealias Entry = FileValue

  package let directory: String

  package init(directory: String = Self.defaultDirectory) { self.directory = directory }

  /// Reads the fixed values that apply to a domain: its own, and those of the global domain.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: Entries by key; empty if nothing is fixed.
  /// - Throws: ``PreferenceError`` with code `.syntax` if a file cannot be read: a value that the
  ///   administrator meant to fix is never silently left open.
  package func entries(for domain: String) throws(PreferenceError) -> [String: Entry] {
    // A domain named by a path is not an application's own, so nothing is fixed in it.
    guard !domain.hasPrefix("/"), let files = try PreferenceFileDirectory(directory) else {
      return [:]
    }
    let names = try files.names()
    var profiles: [(path: String, profile: PreferenceValue)] = []
    for name in names where name.hasSuffix(".mobileconfig") {
      profiles.append(("\(directory)/\(name)", try read(name, in: files)))
    }
    var entries: [String: Entry] = [:]
    // The application's own last: it wins.
    for name in domain == PreferenceDomain.globalName
      ? [domain] : [PreferenceDomain.globalName, domain]
    {
      for (path, profile) in profiles {
        for (key, value) in Self.settings(of: name, in: profile) {
          entries[key] = Entry(value: value, file: path)
        }
      }
      for own in Self.names(of: name).map({ "\($0).plist" }) where names.contains(own) {
        guard case .dictionary(let values) = try read(own, in: files) else {
          throw PreferenceError(.syntax, "\(directory)/\(own) does not contain a dictionary")
        }
        for (key, value) in values {
          entries[key] = Entry(value: value, file: "\(directory)/\(own)")
        }
      }
    }
    return entries
  }

  /// Refuses to set or remove a fixed key; the only place where that rule is written.
  ///
  /// - Throws: ``PreferenceError`` with code `.managed`.
  static func check(
    _ key: String, in domain: String, against entries: [String: Entry]
  ) throws(PreferenceError) {
    guard let entry = entries[key] else { return }
    throw PreferenceError(.managed, refusal(of: key, in: domain, entry))
  }

  /// Why a fixed key is neither set nor removed.
  package static func refusal(of key: String, in domain: String, _ entry: Entry) -> String {
    "the administrator has set \(key) in \(domain) (\(entry.file))"
  }

  private func read(
    _ name: String, in files: PreferenceFileDirectory
  ) throws(PreferenceError) -> PreferenceValue {
    guard let contents = try files.contents(of: name, from: .administrator) else {
      throw PreferenceError(
        .storage, "cannot read \(directory)/\(name): it leads nowhere, or was removed meanwhile")
    }
    return contents
  }

  /// The names of a domain in files; a Mac keeps the global one as `.GlobalPreferences`.
  private static func names(of domain: String) -> [String] {
    domain == PreferenceDomain.globalName ? [PreferenceDomain.globalFileName, domain] : [domain]
  }

  /// The keys that a profile fixes in a domain: Apple's "Configuration Profile Reference".
  private static func settings(
    of domain: String, in profile: PreferenceValue
  ) -> [String: PreferenceValue] {
    guard case .dictionary(let root) = profile, case .array(let payloads)? = root["PayloadContent"]
    else { return [:] }
    var settings: [String: PreferenceValue] = [:]
    for case .dictionary(let payload) in payloads {
      guard case .string(let type)? = payload["PayloadType"] else { continue }
      if type == "com.apple.ManagedClient.preferences" {
        guard case .dictionary(let content)? = payload["PayloadContent"] else {
          continue
        }
        for name in names(of: domain) {
          guard case .dictionary(let modes)? = content[name],
            case .array(let forced)? = modes["Forced"]
          else { continue }
          for case .dictionary(let entry) in forced {
            guard case .dictionary(let values)? = entry["mcx_preference_settings"] else { continue }
            settings.merge(values) { _, last in last }
          }
        }
      } else if names(of: domain).contains(type) {
        for (key, value) in payload where !key.hasPrefix("Payload") { settings[key] = value }
      }
    }
    return settings
  }
}
