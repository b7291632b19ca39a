import Glibc
import VaultStorage

/// What the administrator has fixed: property lists in a directory that only the administrator writes.
///
/// `DOMAIN.plist` holds the values of one domain; a `.mobileconfig` profile those of several, either as
/// payloads of the domain's own type or as `com.apple.ManagedClient.preferences`. Later file names
/// win over earlier ones, and `DOMAIN.plist` over profiles.
package struct ManagedPreferences: Sendable {
  /// The directory; see Documentation/preferences.md.
  package static let defaultDirectory = "/etc/vault/managed"

  /// A fixed value, and the file that fixes it.
  package struct Entry: Sendable, Equatable {
    package let value: PreferenceValue
    package let file: String
  }

  package let directory: String

  package init(directory: String = Self.defaultDirectory) { self.directory = directory }

  /// The fixed values of a domain.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: Entries by key; empty if nothing is fixed.
  /// - Throws: ``PreferenceError`` with code `.syntax` if a file cannot be read: a value that the
  ///   administrator meant to fix is never silently left open.
  package func entries(for domain: String) throws(PreferenceError) -> [String: Entry] {
    guard let handle = try openDirectory() else { return [:] }
    defer { System.close(handle) }
    var entries: [String: Entry] = [:]
    let names: [String]
    do {
      names = try System.names(in: handle).sorted()
    } catch {
      throw PreferenceError(.storage, "cannot list \(directory): \(error.reason)")
    }
    for name in names where name.hasSuffix(".mobileconfig") {
      guard let profile = try read(name, in: handle) else { continue }
      for (key, value) in Self.settings(of: domain, in: profile) {
        entries[key] = Entry(value: value, file: "\(directory)/\(name)")
      }
    }
    let own = "\(domain).plist"
    if names.contains(own), case .dictionary(let values)? = try read(own, in: handle) {
      for (key, value) in values { entries[key] = Entry(value: value, file: "\(directory)/\(own)") }
    }
    return entries
  }

  private func openDirectory() throws(PreferenceError) -> Int32? {
    do {
      return try System.open(directory, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
      return nil
    } catch {
      throw PreferenceError(.storage, "cannot read \(directory): \(error.reason)")
    }
  }

  private func read(
    _ name: String, in handle: Int32
  ) throws(PreferenceError) -> PreferenceValue? {
    let path = "\(directory)/\(name)"
    let bytes: [UInt8]?
    do {
      let file = try System.open(name, in: handle, flags: O_RDONLY | O_NONBLOCK)
      defer { System.close(file) }
      let status = try System.status(file)
      let owner = try System.status(handle).owner
      guard status.isRegular, status.owner == 0 || status.owner == owner,
        status.permissions & 0o022 == 0
      else {
        throw PreferenceError(
          .storage, "\(path) is no file that only the administrator may write")
      }
      bytes = try System.readAll(file, expected: status.size, limit: 16 << 20)
    } catch let error as System.Failure {
      throw PreferenceError(.storage, "cannot read \(path): \(error.reason)")
    } catch {
      throw PreferenceError.wrapping(error)
    }
    do {
      return try PropertyList.parse(bytes ?? [])
    } catch {
      throw PreferenceError(.syntax, "\(path): \(error.message)", underlying: error)
    }
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
        guard case .dictionary(let content)? = payload["PayloadContent"],
          case .dictionary(let modes)? = content[domain], case .array(let forced)? = modes["Forced"]
        else { continue }
        for case .dictionary(let entry) in forced {
          guard case .dictionary(let values)? = entry["mcx_preference_settings"] else { continue }
          settings.merge(values) { _, last in last }
        }
      } else if type == domain
        || type == ".GlobalPreferences" && domain == PreferenceDomain.globalName
      {
        for (key, value) in payload where !key.hasPrefix("Payload") { settings[key] = value }
      }
    }
    return settings
  }
}
