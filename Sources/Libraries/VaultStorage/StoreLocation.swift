import CVaultLinux
import Glibc

/// The location of one user's data: the directories of preferences, credentials and their store.
///
/// By default `$XDG_DATA_HOME/vault` and `$XDG_STATE_HOME/vault`, `~/.local/share/vault` and
/// `~/.local/state/vault` if the variables are not set. Creating a location creates no files.
///
/// ```swift
/// let location = try StoreLocation()
/// let throwaway = StoreLocation(home: "/tmp/try-it")
/// ```
public struct StoreLocation: Sendable, Hashable {
  /// Absolute path of the directory of the store and the vault files.
  public let data: String
  /// Absolute path of the directory for data that may be lost: last-seen records, usage logs.
  public let state: String

  /// The user's own location, from the XDG base directory specification and `HOME`.
  ///
  /// A relative path in `XDG_DATA_HOME` or `XDG_STATE_HOME` is ignored, as the specification says.
  /// Without `HOME`, the home directory comes from the user database. A `HOME` that is set and not an
  /// absolute path is an error.
  ///
  /// - Throws: ``StorageError`` with code `.noLocation` if there is no home directory.
  ///
  /// XDG Base Directory Specification 0.8.
  public init() throws(StorageError) { try self.init(environment: Self.variable) }

  /// The location for an environment that the caller provides.
  ///
  /// - Parameter environment: Returns `HOME`, `XDG_DATA_HOME` and `XDG_STATE_HOME`.
  /// - Throws: ``StorageError`` with code `.noLocation`.
  public init(environment: (String) -> String?) throws(StorageError) {
    data = try Self.base("XDG_DATA_HOME", default: ".local/share", environment) + "/vault"
    state = try Self.base("XDG_STATE_HOME", default: ".local/state", environment) + "/vault"
  }

  /// A location that the caller chooses, with `state` inside.
  ///
  /// - Parameter home: A directory; a relative path is relative to the current directory.
  public init(home: String) {
    var path = home
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if !path.hasPrefix("/") {
      let current = UserFile.workingDirectory
      path = (current == "/" ? "" : current) + (path.isEmpty ? "" : "/\(path)")
    }
    data = path
    state = "\(path)/state"
  }

  /// The file that preferences and credentials share.
  public var store: String { "\(data)/\(Self.storeName)" }

  /// The file name of the shared store.
  package static let storeName = "store.sqlite"

  /// The location of a vault file: a directory and a file name.
  ///
  /// - Parameter vault: The vault's name; `nil` for the default one.
  /// - Returns: An absolute path, and a file name.
  /// - Throws: ``StorageError`` with code `.invalidName`.
  package func vaultFile(
    named vault: String?
  ) throws(StorageError) -> (directory: String, name: String) {
    guard let vault else { return (data, "secrets.vault") }
    return ("\(data)/secrets", "\(try Self.validate(vaultName: vault)).vault")
  }

  /// The name of the writers' lock of a vault, in the vault file's directory.
  package func lockName(forVault vault: String?) throws(StorageError) -> String {
    guard let vault else { return "vault.lock" }
    return "\(try Self.validate(vaultName: vault)).lock"
  }

  /// The name of the lock for changes of a vault's copies in the keyring, in the vault file's
  /// directory.
  ///
  /// No vault's name begins with a dot, so it cannot be another vault's lock.
  package func copiesLockName(forVault vault: String?) throws(StorageError) -> String {
    ".copies.\(try lockName(forVault: vault))"
  }

  /// Returns `name` if it is a valid name for a vault.
  ///
  /// - Parameter name: 1 to 64 of ASCII letters, digits, `-`, `_` and `.`, the first not `.` or
  ///   `-`.
  /// - Returns: The name.
  /// - Throws: ``StorageError`` with code `.invalidName`.
  @discardableResult
  public static func validate(vaultName name: String) throws(StorageError) -> String {
    let isValid =
      (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
      } && !name.hasPrefix(".") && !name.hasPrefix("-")
    guard isValid else {
      throw StorageError(
        .invalidName,
        "a vault's name is 1 to 64 letters, digits, '-', '_' and '.', and begins with none of '.-'")
    }
    return name
  }

  /// The directory of an application's own data: `$XDG_DATA_HOME/<id>`.
  package static func applicationData(
    id: String, environment: (String) -> String? = variable
  ) throws(StorageError) -> String {
    try base("XDG_DATA_HOME", default: ".local/share", environment) + "/\(id)"
  }

  /// The folder of the user's own files of configuration: `$XDG_CONFIG_HOME`.
  package static func configuration(
    _ environment: (String) -> String? = variable
  ) throws(StorageError) -> String {
    try base("XDG_CONFIG_HOME", default: ".config", environment)
  }

  private static func base(
    _ name: String, default suffix: String, _ environment: (String) -> String?
  ) throws(StorageError) -> String {
    if var path = environment(name), path.hasPrefix("/") {
      try checkText(path, of: name)
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      return path == "/" ? "" : path
    }
    return "\(try home(environment))/\(suffix)"
  }

  /// The user's home directory: `HOME`, or where that is not set, that of the user database.
  ///
  /// A `HOME` that is set and empty, or relative, says that there is none: another folder in its place
  /// would be read, written and emptied without anybody having named it.
  package static func home(
    _ environment: (String) -> String? = variable
  ) throws(StorageError) -> String {
    if let home = environment("HOME") {
      guard home.hasPrefix("/") else {
        throw StorageError(
          .noLocation,
          home.isEmpty
            ? "there is no home directory: HOME is set, and empty"
            : "there is no home directory: HOME is no absolute path",
          advice: "set HOME to an absolute path, or unset it")
      }
      try checkText(home, of: "HOME")
      return home == "/" ? "" : home
    }
    if let entry = unsafe getpwuid(geteuid()), let directory = unsafe entry.pointee.pw_dir {
      let home = unsafe String(cString: directory)
      if home.hasPrefix("/") { return home == "/" ? "" : home }
    }
    throw StorageError(
      .noLocation, "there is no home directory: HOME is not set and the user is not known")
  }

  /// The home that `HOME` names; `nil` where it names none, whatever the user database says.
  ///
  /// For what lies in the home of the environment, as other programs look for it.
  package static func namedHome(_ environment: (String) -> String? = variable) -> String? {
    environment("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The user's name in the user database; `nil` if it does not know the user.
  package static var userName: String? {
    guard let entry = unsafe getpwuid(geteuid()), let name = unsafe entry.pointee.pw_name else {
      return nil
    }
    return unsafe String(cString: name)
  }

  /// A variable that names a place, as ``variable(_:)`` has it.
  ///
  /// - Parameter name: The variable.
  /// - Returns: `nil` if it is missing or empty.
  /// - Throws: ``StorageError`` with code `.noLocation` for one that is no UTF-8 text.
  package static func place(_ name: String) throws(StorageError) -> String? {
    guard let path = variable(name), !path.isEmpty else { return nil }
    try checkText(path, of: name)
    return path
  }

  /// Refuses a place whose name is no UTF-8: the text, in which the bad bytes are replaced, names
  /// another one.
  private static func checkText(_ path: String, of name: String) throws(StorageError) {
    guard path.utf8.contains(0xEF), let bytes = unsafe getenv(name),
      unsafe String(validatingCString: bytes) == nil
    else { return }
    throw StorageError(
      .noLocation, "the place that \(name) names is no UTF-8 text",
      advice: "set \(name) to another one, or unset it")
  }

  /// All variables of the process's environment.
  package static var variables: [String: String] {
    var found: [String: String] = [:]
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      if let (name, value) = unsafe String(cString: text).halves(at: "=") {
        found[String(name)] = String(value)
      }
      unsafe entry = entry?.advanced(by: 1)
    }
    return found
  }

  /// A variable of the process's environment.
  package static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
