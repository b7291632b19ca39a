import VaultPreferences
import VaultStorage

/// Settings that the desktop keeps itself, and of which the store keeps a copy with its journal.
///
/// The copy's domains have a prefix. Before a line that names one, the copy takes what the desktop
/// has; after a line that changed one, by whatever verb, the desktop gets the change. The copy has
/// what the user has set, and nothing that an administrator or a package gives.
protocol DesktopSource: AnyObject {
  /// What its domains begin with in the store, such as `dconf:`.
  static var prefix: String { get }

  /// Whether nothing can be set.
  static var isReadOnly: Bool { get }

  /// The domain that a person means, without the prefix.
  ///
  /// - Parameter word: What was typed.
  /// - Returns: The domain.
  /// - Throws: ``DefaultsRefusal`` if it names none.
  func domain(named word: String) throws -> String

  /// The names that a person may mean, for completion.
  var names: [String] { get }

  /// What a look at a domain looks at as a whole, such as a file of KConfig's, or all of dconf.
  func part(of domain: String) -> String

  /// The folder whose settings these are: a copy of another one's is not compared with them; `nil` if
  /// there is one only.
  var folderOfSettings: String? { get }

  /// What the desktop has now, by domains without the prefix.
  ///
  /// - Parameter known: The domains that the copy has.
  /// - Returns: Keys and values by domain.
  /// - Throws: ``DefaultsRefusal`` if it cannot be read.
  func current(beside known: Set<String>) throws -> [String: [String: PreferenceValue]]

  /// What the desktop has now, also where some of its parts cannot be read.
  ///
  /// - Parameter known: The domains that the copy has, and parts that were looked at.
  /// - Returns: Keys and values by domain, and why parts are not among them.
  /// - Throws: ``DefaultsRefusal`` if nothing can be read.
  func look(at known: Set<String>) throws -> DesktopLook

  /// The parts that a look looks at, also if they have nothing.
  func parts(beside known: Set<String>) -> Set<String>

  /// Whether what is set is set at once, and not key by key.
  static var setsAtOnce: Bool { get }

  /// What the last look had to leave out, a sentence for each; said once.
  func takeProblems() -> [String]

  /// Has the desktop take changes: all, or it throws.
  func push(_ changes: [DesktopChange]) throws

  /// Whether the desktop has what was set.
  ///
  /// - Parameters:
  ///   - change: What was set.
  ///   - found: What it has.
  /// - Returns: Whether that is the same, or as good.
  func hasTaken(_ change: DesktopChange, _ found: PreferenceValue?) -> Bool

  /// Who has fixed a key, so that the user cannot change it; `nil` if nobody has.
  func lock(of key: String, in domain: String) throws -> String?

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
  static var isReadOnly: Bool { false }
  static var setsAtOnce: Bool { true }
  var folderOfSettings: String? { nil }

  func look(at known: Set<String>) throws -> DesktopLook {
    DesktopLook(values: try current(beside: known))
  }
  func parts(beside known: Set<String>) -> Set<String> { Set(known.map { part(of: $0) }) }
  func layers(of key: String, in domain: String) throws -> [LayeredValue]? { nil }
  func keys(in domain: String) throws -> Set<String>? { nil }
  func takeProblems() -> [String] { [] }
  func lock(of key: String, in domain: String) throws -> String? { nil }

  func hasTaken(_ change: DesktopChange, _ found: PreferenceValue?) -> Bool {
    isSame(found, change.value, of: change.key, in: change.domain)
  }
}

/// What a look at the desktop found.
struct DesktopLook {
  /// Keys and values by domains without the prefix.
  var values: [String: [String: PreferenceValue]]
  /// Why parts could not be read: what the copy has of them says nothing about them.
  var unread: [String: DefaultsRefusal] = [:]
  /// What is said if a copy has values of all this, and it is not there at all.
  var missing: DefaultsRefusal?
  /// What is said of parts that are not there or empty, if a copy has values of them: all that was
  /// set in them may have been reset, and a program may be about to write them anew.
  var absent: [String: DefaultsRefusal] = [:]
}

/// Values that are no plain ones: dictionaries of one key, which says what they are.
enum DesktopTag {
  /// The text of a value of GVariant's, with its type; a text that KConfig expands; a mark of
  /// KConfig's that hides what weaker files have.
  static let all: Set<String> = [DConfSource.tag, KConfigSource.tag, KConfigSource.deletionTag]

  /// The tag of a value; `nil` for a plain one.
  static func of(_ value: PreferenceValue?) -> String? {
    guard case .dictionary(let entries)? = value, entries.count == 1, let tag = entries.keys.first,
      all.contains(tag)
    else { return nil }
    return tag
  }

  /// Whether a tag stands where it says nothing: beside other keys, or inside of a value.
  static func isMisplaced(in value: PreferenceValue, isInside: Bool = false) -> Bool {
    switch value {
    case .dictionary(let entries):
      if entries.keys.contains(where: { all.contains($0) }), isInside || entries.count > 1 {
        return true
      }
      return entries.values.contains { isMisplaced(in: $0, isInside: true) }
    case .array(let elements): return elements.contains { isMisplaced(in: $0, isInside: true) }
    default: return false
    }
  }
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

  /// The address of the session bus; `nil` if there is none.
  static func bus(_ environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    // Where systemd puts it.
    guard let folder = environment["XDG_RUNTIME_DIR"], UserFile.exists("\(folder)/bus") else {
      return nil
    }
    return "unix:path=\(folder)/bus"
  }

  /// The folder of the user's configuration, to write into: root in the home of another user would
  /// lock him out of it.
  static func folderToWrite(_ environment: [String: String]) throws -> String {
    let folder = try StoreLocation.configuration { environment[$0] }
    do {
      try Directory.checkHome(of: folder, { environment[$0] })
    } catch {
      throw DefaultsRefusal("\(error.message)\nDefaults have not been changed.")
    }
    return folder
  }
}

/// A key that is set, or for `nil` reset.
struct DesktopChange {
  /// Without the prefix.
  let domain: String
  let key: String
  let value: PreferenceValue?
}
