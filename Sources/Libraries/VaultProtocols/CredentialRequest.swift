public import VaultCredentials
public import VaultSealing

/// A request of another program, read and checked, that a vault answers.
///
/// A request is a value and its response a function of it and a snapshot of the vault: nothing is
/// read or written on the way. The caller opens the vault as ``access`` says, writes the output to
/// the program, and makes the changes.
///
/// ```swift
/// let request = try GitRequest("get", input: input)
/// let response = try request.response(in: try await vault.read())
/// ```
public protocol CredentialRequest: Sendable {
  /// The access to a vault that the request needs.
  var access: VaultAccess { get }

  /// Returns the response.
  ///
  /// - Parameter snapshot: The vault; `nil` if there is none, or ``access`` needs none.
  /// - Returns: The output for the program, and the changes to the vault.
  /// - Throws: ``ProtocolError``; `CredentialError` with code `.damaged`; `SealingError` with code
  ///   `.outOfMemory`.
  func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse
}

/// The access to a vault that a request needs.
public enum VaultAccess: Sendable {
  /// The response does not depend on a vault.
  case none
  /// A vault is read if it exists; without one, nothing is found.
  case ifExists
  /// A vault must exist.
  case required
  /// A vault is created if there is none, to store a credential.
  case created
}

/// A response to another program, and the changes to the vault that go with it.
public struct CredentialResponse: Sendable {
  /// A change to the vault.
  public enum Change: Sendable {
    /// Store an item, or a new version of it.
    case store(ItemDraft)
    /// Set the main secret of an item alone.
    case set(ItemName, Secret)
    /// Remove an item.
    case remove(Item)
  }

  /// The bytes for the program's standard input; `nil` for none.
  public var output: SecretBytes?
  /// The changes, to be made before the output is written.
  public var changes: [Change]
  /// Whether the program expects a failing exit status, because nothing was found.
  public var isNegative = false
  /// The secrets in the output: their items, and their fields where it is not the main one.
  package var uses: [Use]

  /// A secret in the output.
  package struct Use: Sendable {
    package let item: Item
    /// The name of a further field; `nil` for the main secret.
    package let field: String?

    init(_ item: Item, field: String? = nil) {
      self.item = item
      self.field = field
    }
  }

  init(
    output: SecretBytes? = nil, changes: [Change] = [], isNegative: Bool = false, uses: [Use] = []
  ) {
    self.output = output
    self.changes = changes
    self.isNegative = isNegative
    self.uses = uses
  }

  /// Makes the changes.
  ///
  /// An item that was replaced by another one of its name since the snapshot is not removed.
  ///
  /// - Parameter edit: The vault to change.
  /// - Throws: As `VaultEdit` does.
  public func apply(to edit: inout VaultEdit) throws {
    for change in changes {
      switch change {
      case .store(let draft): try edit.store(draft)
      case .set(let name, let secret): try edit.set(name, to: secret)
      case .remove(let item):
        if edit[item.name]?.id == item.id { try edit.remove(item.name) }
      }
    }
  }
}
