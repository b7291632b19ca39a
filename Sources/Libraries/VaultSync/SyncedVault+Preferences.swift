import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Brings a preference domain together with the space from now on, too.
  ///
  /// The next ``synchronize(acceptingRollback:)`` tells the others what this machine has in it, and
  /// takes what they have: of two values the one that was changed later. It needs ``preferences``.
  /// Other machines take nothing of the domain unless they add it, too.
  ///
  /// - Parameter domain: The domain's name, for all hosts.
  /// - Returns: Whether it was not there before.
  /// - Throws: ``SyncError`` with code `.notAllowed` for a name that cannot be used; `.notJoined`,
  ///   `.copied`, `.tampered`, `.inputOutput`.
  @discardableResult
  public func addDomain(_ domain: String) throws -> Bool {
    guard (1...PreferencesExchange.longestDomain).contains(domain.utf8.count),
      !domain.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else {
      throw SyncError(
        .notAllowed,
        "a preference domain's name has 1 to \(PreferencesExchange.longestDomain) characters",
        hint: "name it as programs do, such as com.example.tool")
    }
    return try PreferencesExchange(exchange).changeDomains {
      // What was added already was brought together already.
      guard $0.domains[domain] == nil else { return false }
      $0.domains[domain] = true
      return true
    }
  }

  /// The preference domains that are brought together, from this machine's state alone.
  ///
  /// - Returns: Their names, in order.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`, `.inputOutput`.
  package func domains() throws -> [String] {
    try replica.loadState().state.preferences.domains.keys.sorted()
  }

  /// Leaves a preference domain out from now on: it stays as it is, here and on the others.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: Whether it was there.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  @discardableResult
  public func dropDomain(_ domain: String) throws -> Bool {
    try PreferencesExchange(exchange).changeDomains {
      $0.domains.removeValue(forKey: domain) != nil
    }
  }
}
