import VaultStorage

/// A place for preferences: an application's name, and the hosts that they are for.
///
/// ```swift
/// let editor = PreferenceDomain("com.example.editor")
/// let here = PreferenceDomain("com.example.editor", host: .current)
/// ```
public struct PreferenceDomain: Hashable, Sendable {
  /// The hosts that a domain's values are for.
  public enum Host: Hashable, Sendable {
    /// Every host that sees the store.
    case any
    /// This host only, where the store is on a shared home.
    case current
    /// The host with this name, as `defaults -host` has it.
    case named(String)

    /// Returns whether both have the same bytes.
    public static func == (left: Host, right: Host) -> Bool {
      switch (left, right) {
      case (.any, .any), (.current, .current): true
      case (.named(let first), .named(let second)): first.isSame(as: second)
      default: false
      }
    }
  }

  /// The domain's name, by custom a reversed internet name; any text, also an empty one.
  public let name: String
  /// The hosts that its values are for.
  public let host: Host

  /// Makes a domain from its name.
  public init(_ name: String, host: Host = .any) {
    self.name = name
    self.host = host
  }

  /// Returns whether both have the same bytes: the store keeps names apart that are canonically
  /// equivalent.
  public static func == (left: PreferenceDomain, right: PreferenceDomain) -> Bool {
    left.name.isSame(as: right.name) && left.host == right.host
  }

  /// The domain that every application sees: `NSGlobalDomain`.
  public static let global = PreferenceDomain(globalName)

  package static let globalName = "NSGlobalDomain"

  /// The name of the global domain's file on a Mac, which scripts use for the domain, too.
  package static let globalFileName = ".GlobalPreferences"

  /// The contents of the store's column `host`.
  package var storedHost: String {
    switch host {
    case .any: ""
    case .current: HostIdentity.current
    case .named(let name): name
    }
  }
}
