/// An item together with its main secret and all its fields.
public struct ItemWithSecrets: Sendable {
  /// The item.
  public let item: Item
  /// The main secret.
  public let main: Secret
  /// The further fields, by name.
  public let fields: [String: Secret]
}
