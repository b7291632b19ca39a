package import VaultCredentials
import VaultSealing

/// What a vault relies on in a desktop keyring, as a suite that runs against any of them.
///
/// Both conformers of the vault pass it: ``TestKeyring``, and the Secret Service on the session
/// bus. Run it where you want to know whether the keyring of a machine will do, or that a test's
/// keyring is in the state you think it is. It depends on no test framework: a rule that does not
/// hold is thrown.
///
/// ```swift
/// @Test(arguments: KeyringContract.Rule.allCases)
/// func theDesktopKeyringWillDo(rule: KeyringContract.Rule) throws {
///   try KeyringContract.desktop().check(rule)
/// }
/// ```
///
/// Each check makes items under a service name of its own, `vault-contract-` and a random number,
/// and deletes them, also when it fails. Nothing else in the keyring is touched.
public struct KeyringContract: Sendable {
  /// A rule that every keyring must hold.
  public enum Rule: String, Sendable, CaseIterable {
    /// It says that it is there and open, and which collection new items go to.
    case reportsThatItIsOpen
    /// An item is found by its attributes, with its label, once.
    case findsWhatWasMade
    /// A search finds items that carry all attributes asked for, and no others.
    case searchesForAllAttributes
    /// Text comes back byte for byte: empty, long, and beyond ASCII.
    case keepsText
    /// Any bytes come back, also those that are not text.
    case keepsAnyBytes
    /// Making an item replaces none, not even one of the same attributes.
    case replacesNothing
    /// A changed item keeps its path and its attributes.
    case changesInPlace
    /// The secrets of several items are read at once, by their paths.
    case readsSeveralAtOnce
    /// An item that carries other attributes than named is neither changed nor deleted.
    case leavesOtherItemsAlone
    /// What was deleted is gone, for a search and by its path.
    case forgetsWhatWasDeleted
    /// A missing item is an error, and no other error.
    case saysWhatIsMissing
  }

  private let keyring: any DesktopKeyring

  /// The contract of a keyring for tests.
  ///
  /// - Parameter keyring: The keyring, unlocked but for ``checkWhileLocked()``.
  public init(_ keyring: TestKeyring) { self.keyring = keyring }

  /// The contract of any conformer.
  package init(of keyring: any DesktopKeyring) { self.keyring = keyring }

  /// The contract of the keyring that this process finds on its session bus.
  ///
  /// It never shows a prompt.
  ///
  /// - Parameter timeout: How long one call of the keyring may take.
  /// - Returns: The contract. A missing keyring is found out by checking.
  public static func desktop(timeout: Duration = .seconds(5)) -> KeyringContract {
    var options = KeyringOptions()
    options.timeout = timeout
    return KeyringContract(of: Keyring(options: options))
  }

  /// Checks all rules, for a keyring that is open.
  ///
  /// - Throws: ``ContractViolation`` for the first rule that does not hold.
  public func check() throws(ContractViolation) {
    for rule in Rule.allCases { try check(rule) }
  }

  /// Checks one rule, for a keyring that is open.
  ///
  /// - Parameter rule: The rule.
  /// - Throws: ``ContractViolation`` if it does not hold, also when the keyring fails at it.
  public func check(_ rule: Rule) throws(ContractViolation) {
    try run(rule) { bench in
      switch rule {
      case .reportsThatItIsOpen: try bench.reportsThatItIsOpen()
      case .findsWhatWasMade: try bench.findsWhatWasMade()
      case .searchesForAllAttributes: try bench.searchesForAllAttributes()
      case .keepsText: try bench.keeps(ContractBench.texts)
      case .keepsAnyBytes: try bench.keeps(ContractBench.anyBytes)
      case .replacesNothing: try bench.replacesNothing()
      case .changesInPlace: try bench.changesInPlace()
      case .readsSeveralAtOnce: try bench.readsSeveralAtOnce()
      case .leavesOtherItemsAlone: try bench.leavesOtherItemsAlone()
      case .forgetsWhatWasDeleted: try bench.forgetsWhatWasDeleted()
      case .saysWhatIsMissing: try bench.saysWhatIsMissing()
      }
    }
  }

  /// Checks that a locked keyring hands out nothing and takes nothing, for one that is locked.
  ///
  /// - Throws: ``ContractViolation`` with the rule `.reportsThatItIsOpen` if it says something else
  ///   of itself, or with the rule that is broken by what it does.
  public func checkWhileLocked() throws(ContractViolation) {
    try run(.reportsThatItIsOpen) { bench in try bench.isLocked() }
  }

  private func run(
    _ rule: Rule, _ body: (ContractBench) throws -> Void
  ) throws(ContractViolation) {
    let bench = ContractBench(keyring, rule)
    defer { bench.clean() }
    do {
      try body(bench)
    } catch let violation as ContractViolation {
      throw violation
    } catch let error as KeyringError {
      throw ContractViolation(rule: rule, message: error.message)
    } catch {
      throw ContractViolation(rule: rule, message: "it failed with \(type(of: error))")
    }
  }
}
