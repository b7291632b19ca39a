/// The result of storing a secret.
public struct ItemChange: Sendable {
  /// The item as it is now.
  public let item: Item
  /// Whether the item was created.
  public let isNew: Bool
  /// The fingerprint of the secret that was stored.
  public let fingerprint: Fingerprint
}
