/// The preferences of this machine, as a space reads and changes them.
///
/// Values are binary property lists, which keep every type; equal values have equal bytes. Only the
/// values of a domain for all hosts are meant, not those of other layers.
public protocol SyncedPreferences: Sendable {
  /// A domain as this machine has it.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: The domain, without values if they were removed; `nil` if this machine never had
  ///   it, or has lost its preferences.
  /// - Throws: What reading throws.
  func contents(of domain: String) throws -> SyncedDomain?

  /// When the keys of a domain were changed last.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: Milliseconds since 1970, for each key of which it is known, also a removed one.
  /// - Throws: What reading throws.
  func changes(in domain: String) throws -> [String: Int64]

  /// Changes keys, all of them or none, so that observers notice it.
  ///
  /// A key that does not have its old value any more is left as it is.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - domain: The domain's name.
  ///   - isProtected: Whether the values are to be kept sealed.
  ///   - machine: The machine that they are from.
  /// - Throws: What reading and writing throw.
  func apply(
    _ changes: [SyncedPreferenceChange], to domain: String, isProtected: Bool, from machine: String
  ) throws
}

/// A preference domain as one machine has it.
public struct SyncedDomain: Sendable, Equatable {
  /// The values by their keys: binary property lists.
  public var values: [String: [UInt8]]
  /// Keys that the administrator of the machine has fixed: they are neither told nor changed.
  public var fixed: Set<String>
  /// Whether the machine keeps the values sealed.
  public var isProtected: Bool

  /// Makes a domain from its parts.
  public init(values: [String: [UInt8]], fixed: Set<String> = [], isProtected: Bool = false) {
    self.values = values
    self.fixed = fixed
    self.isProtected = isProtected
  }
}

/// A key of a domain that another machine has changed.
public struct SyncedPreferenceChange: Sendable, Equatable {
  /// The key.
  public let key: String
  /// The value that it replaces: a binary property list; `nil` for none.
  public let old: [UInt8]?
  /// The value that it has now; `nil` if it was removed.
  public let new: [UInt8]?
}
