package import VaultSealing

/// All parts of an item to be stored at once: its main secret, all its fields, and what is known of
/// it.
///
/// ```swift
/// var draft = ItemDraft(try ItemName("github.com/me"), main: try Secret("s3cr3t"))
/// draft.fields["user"] = try Secret("me")
/// try await vault.store([draft])
/// ```
public struct ItemDraft: Sendable {
  /// The name of the item.
  public var name: ItemName
  /// The main secret.
  public var main: Secret
  /// The further fields by name; they replace all fields that the item has.
  public var fields: [String: Secret]
  /// Changes to what else is known of the item.
  public var changes: ItemChanges

  /// Creates a draft.
  ///
  /// - Parameters:
  ///   - name: The name of the item; a live item of this name gets a new version.
  ///   - main: The main secret.
  ///   - fields: All further fields by name; together with the main secret at most 1 MiB.
  ///   - changes: Changes to what else is known of the item.
  public init(
    _ name: ItemName, main: Secret, fields: [String: Secret] = [:],
    changes: ItemChanges = ItemChanges()
  ) {
    self.name = name
    self.main = main
    self.fields = fields
    self.changes = changes
  }

  /// Creates a draft of secrets that are bytes in locked memory.
  package init(
    _ name: ItemName, main: SecretBytes, fields: [String: SecretBytes] = [:],
    changes: ItemChanges = ItemChanges()
  ) {
    self.init(
      name, main: Secret(main), fields: fields.mapValues(Secret.init), changes: changes)
  }
}
