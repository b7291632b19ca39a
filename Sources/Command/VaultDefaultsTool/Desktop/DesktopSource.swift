import VaultPreferences
import VaultStorage

/// Settings that the desktop keeps itself, and of which the store keeps a copy with its journal.
///
/// The copy's domains have a prefix. Before a line that names one, the copy takes what the desktop
/// has; after a line that changed one, by whatever verb, the desktop gets the change.
protocol DesktopSource {
  /// What its domains begin with in the store, such as `dconf:`.
  static var prefix: String { get }

  /// The domain that a person means, without the prefix.
  ///
  /// - Parameter word: What was typed.
  /// - Returns: The domain.
  /// - Throws: ``DefaultsRefusal`` if it names none.
  func domain(named word: String) throws -> String

  /// The names that a person may mean, for completion.
  var names: [String] { get }

  /// What the desktop has now, by domains without the prefix.
  ///
  /// - Parameter known: The domains that the copy has.
  /// - Returns: Keys and values by domain.
  /// - Throws: ``DefaultsRefusal`` if it cannot be read.
  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]]

  /// Has the desktop take changes: all, or it throws.
  func push(_ changes: [DesktopChange]) throws

  /// A value as the desktop gives it back after it was set; unchanged if it cannot be set.
  func kept(_ value: PreferenceValue, of key: String, in domain: String) -> PreferenceValue

  /// Whether two values of a key are the same to the desktop.
  func isSame(
    _ first: PreferenceValue?, _ second: PreferenceValue?, of key: String, in domain: String
  ) -> Bool

  /// A key's values in the layers of the desktop's own, the strongest first; `nil` if it has none of
  /// its own.
  func layers(of key: String, in domain: String) throws -> [LayeredValue]?

  /// The keys that any of these layers has.
  func keys(in domain: String) throws -> Set<String>?

  /// The schema of a domain; `nil` if there is none.
  func schema(of domain: String) -> PreferenceSchema?

  /// The files that change when something is set, each as its folder and name.
  func files(of known: Set<String>) -> [(folder: String, name: String)]
}

extension DesktopSource {
  func layers(of key: String, in domain: String) throws -> [LayeredValue]? { nil }
  func keys(in domain: String) throws -> Set<String>? { nil }
}

/// What the desktop's own commands get of the environment that this line was given.
///
/// The rest they have from the process, less what is secret in it.
enum DesktopEnvironment {
  static func variables(of environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in
      name == "HOME" || name == "DBUS_SESSION_BUS_ADDRESS" || name == "DCONF_PROFILE"
        || name.begins(with: "XDG_")
    }
  }
}

/// A key that is set, or for `nil` reset.
struct DesktopChange {
  /// Without the prefix.
  let domain: String
  let key: String
  let value: PreferenceValue?
}
