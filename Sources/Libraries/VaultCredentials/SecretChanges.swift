/// Changes to the secrets of an item; what is not named stays as it is.
///
/// ```swift
/// var changes = SecretChanges()
/// changes.fields["user"] = try Secret("me")
/// changes.removedFields = ["pin"]
/// try await vault.edit { [changes] in try $0.change(ItemName("github.com/me"), changes) }
/// ```
public struct SecretChanges: Sendable {
  /// The new main secret.
  public var main: Secret?
  /// New values of further fields, by name.
  public var fields: [String: Secret] = [:]
  /// The names of fields that go.
  public var removedFields: Set<String> = []

  /// Creates a value that changes nothing.
  public init() {}

  /// Whether nothing is to be changed.
  package var isEmpty: Bool { main == nil && fields.isEmpty && removedFields.isEmpty }
}
