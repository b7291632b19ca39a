public import FoundationEssentials
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
  /// The versions that the item had elsewhere, the oldest first; only a new item gets them, and only
  /// as many as the vault keeps.
  public var earlier: [Earlier] = []

  /// A version that an item had elsewhere.
  public struct Earlier: Sendable {
    /// The main secret.
    public var main: Secret
    /// The further fields; `nil` for those of the draft.
    public var fields: [String: Secret]?
    /// The time when it was written, if that is known.
    public var written: Date?

    /// Creates an earlier version.
    ///
    /// - Parameters:
    ///   - main: The main secret.
    ///   - fields: The further fields; `nil` for those of the draft.
    ///   - written: The time when it was written, if that is known.
    public init(main: Secret, fields: [String: Secret]? = nil, written: Date? = nil) {
      (self.main, self.fields, self.written) = (main, fields, written)
    }
  }

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
