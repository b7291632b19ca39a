/// The result of storing a secret.
public struct ItemChange: Sendable {
  /// The item as it is now.
  public let item: Item
  /// A Boolean value that says whether the item is new.
  public let isNew: Bool
  /// The fingerprint of the secret that was stored.
  public let fingerprint: Fingerprint
  /// Whether anything was written: `false` if the item was like this already.
  public internal(set) var isChanged = true
}
