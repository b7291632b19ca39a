import VaultCredentials
package import VaultPreferences
package import VaultStorage

/// What a person and an administrator say of this program itself: the domain `secrets.vault`.
///
/// A person sets a limit by `vault defaults write secrets.vault sessionAtMost -int 600`; an
/// administrator fixes it for everybody in `/etc/vault/managed/secrets.vault.plist`. A limit only
/// shortens what a vault's own settings and a line say: another program of the user that writes here
/// gains nothing.
package struct ProgramPreferences: Sendable {
  /// The domain.
  package static let domain = "secrets.vault"

  /// The longest that a vault stays open, in seconds; 0 for not at all.
  package static let sessionAtMost = PreferenceKey("sessionAtMost", default: 30 * 86_400)
    .described(
      "For how many seconds a vault stays open at most after it was opened; 0 for not at all"
    )
    .limited(to: 0...30 * 86_400)

  /// The longest that a copied secret stays on the clipboard, in seconds.
  package static let clipboardAtMost = PreferenceKey("clipboardAtMost", default: 3600)
    .described("After how many seconds a copied secret is cleared at the latest")
    .limited(to: 1...3600)

  /// What there is in the domain.
  package static let schema = PreferenceSchema(
    "The command vault itself: limits to what its vaults and lines say",
    keys: [sessionAtMost.schema, clipboardAtMost.schema])

  /// The schemas that are there without a file, by their domains.
  package static let schemas = [domain: schema]

  /// The line that shows where a limit comes from.
  package static var hint: String {
    "\(ProgramName.current) defaults read --effective --show-origin \(domain)"
  }

  private let location: StoreLocation
  private let managed: ManagedPreferences
  private let directories: DefaultsDirectories

  /// - Parameters:
  ///   - location: Where the person's preferences are.
  ///   - managed: The values that the administrator has fixed.
  ///   - directories: Where the defaults are that packages and the site installed.
  package init(
    at location: StoreLocation, managed: ManagedPreferences = ManagedPreferences(),
    directories: DefaultsDirectories = DefaultsDirectories()
  ) {
    (self.location, self.managed, self.directories) = (location, managed, directories)
  }

  /// The longest that a vault stays open, in seconds; `nil` if nobody has set it.
  ///
  /// - Throws: `VaultOptions.UnknownLimit`.
  package func sessionLimit() throws -> Int? {
    do throws(PreferenceError) {
      return try seconds(Self.sessionAtMost)
    } catch {
      throw VaultOptions.UnknownLimit(error.message, hint: Self.hint)
    }
  }

  /// The limit that holds.
  ///
  /// - Parameter key: Which one.
  /// - Returns: Seconds; `nil` if nobody has set it.
  /// - Throws: `PreferenceError` if a layer cannot be read, with code `.typeMismatch` if what is set
  ///   is no such number: a limit that somebody meant to set is never silently left out.
  package func seconds(_ key: PreferenceKey<Int>) throws(PreferenceError) -> Int? {
    let fixed = try managed.entries(for: Self.domain)
    let defaults = directories.defaults(for: Self.domain)
    if let problem = defaults.problems.first { throw problem }
    let database = try PreferenceDatabase.open(
      location, mode: .read, process: ProgramName.current)
    defer { database?.close() }
    let layers = try PreferenceDatabase.layers(
      of: key.name, in: Self.domain, database: database, fixed: fixed, defaults: defaults)
    guard let winner = layers.first else { return nil }
    guard case .integer(let number) = winner.value,
      Self.schema.verdict(on: winner.value, of: key.name) == .fits
    else {
      throw PreferenceError(
        .typeMismatch, "\(key.name) of \(Self.domain) is no number of seconds that is allowed")
    }
    return Int(number)
  }
}
