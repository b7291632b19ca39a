import Glibc
import VaultStorage

/// An error of preferences.
///
/// Its message names domains and keys, never values. Printing the error shows ``recovery``, too;
/// with `import VaultPreferencesFoundation` it is a `LocalizedError`.
///
/// ```swift
/// do {
///   try store.setValue("dark", forKey: "theme")
/// } catch let error as PreferenceError where error.code == .managed {
///   print(error.message)   // names the administrator's file
/// }
/// ```
public struct PreferenceError: Error, Sendable, CustomStringConvertible {
  /// Which failure it is; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The text of the code, as `--json` prints it.
    public let rawValue: String

    /// Makes a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The key or domain does not exist.
    public static let notFound = Code(rawValue: "preference-not-found")
    /// The value has a different type than requested.
    public static let typeMismatch = Code(rawValue: "type-mismatch")
    /// The administrator has fixed the value; it cannot be changed.
    public static let managed = Code(rawValue: "managed")
    /// The domain is protected and its key is not available.
    public static let locked = Code(rawValue: "domain-locked")
    /// A stored value does not open with the domain's key, or is malformed.
    public static let damaged = Code(rawValue: "preference-damaged")
    /// A property list could not be read.
    public static let syntax = Code(rawValue: "property-list-syntax")
    /// The value cannot be converted to the requested form without loss.
    public static let lossy = Code(rawValue: "lossy")
    /// The value has more arrays and dictionaries inside each other than can be stored.
    public static let tooDeep = Code(rawValue: "too-deep")
    /// The value is not one that the key's schema allows.
    public static let notAllowed = Code(rawValue: "not-allowed")
    /// The stored value is not the expected one: another writer was faster.
    public static let conflict = Code(rawValue: "conflict")
    /// The store could not be read or written; `underlying` says why.
    public static let storage = Code(rawValue: "storage")
  }

  /// Which failure it is.
  public let code: Code
  /// A sentence for a person.
  public let message: String
  /// The error that caused it.
  public let underlying: (any Error)?

  package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
  }

  /// What to do about it, without the words of any program; `nil` if nothing is known to help.
  public var recovery: String? {
    switch code {
    case .typeMismatch: "read it as the type that it has, or reset it"
    case .managed: "ask the administrator to change the file"
    case .locked: "unlock the vault that has the domain's key"
    case .damaged: "remove the value, or undo the change that wrote it"
    case .tooDeep: "store it as data, or in several keys"
    case .notAllowed: "set a value that the schema allows, or reset the key"
    case .conflict: "read the value again, and decide anew"
    case .storage: (underlying as? StorageError)?.recovery
    default: nil
    }
  }

  /// The message and, in parentheses, what to do about it.
  public var description: String { recovery.map { "\(message) (\($0))" } ?? message }

  /// Whether there is no home to keep a store in, or none that this process may use.
  package var isOfMissingHome: Bool {
    guard let cause = underlying as? StorageError else { return false }
    return [.noLocation, .accessDenied, .cannotCreate].contains(cause.code)
      || cause.systemError == ENOTDIR
  }

  /// Whether nothing can be written, such as on a full disk.
  package var isOfNoPlaceToWrite: Bool {
    guard let cause = underlying as? StorageError,
      cause.systemError != EMFILE, cause.systemError != ENFILE
    else { return false }
    return cause.isOfNoPlaceToWrite
  }

  /// An error of this module as it is; any other becomes the cause of one with code `.storage`.
  package init(wrapping error: any Error) {
    switch error {
    case let error as PreferenceError: self = error
    case let error as StorageError: self.init(.storage, error.message, underlying: error)
    default: self.init(.storage, "\(error)", underlying: error)
    }
  }

  /// Runs `body`, and throws its errors as ``init(wrapping:)`` makes them.
  static func wrapping<Result>(_ body: () throws -> Result) throws(PreferenceError) -> Result {
    do {
      return try body()
    } catch {
      throw PreferenceError(wrapping: error)
    }
  }
}
