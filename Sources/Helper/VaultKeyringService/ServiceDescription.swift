import VaultCredentials
import VaultDBus

/// The objects' own interfaces for `Introspect`: Secret Service API, version 0.2.
enum ServiceDescription {
  /// The interface that an object has besides the standard ones.
  static func interface(of object: KeyringService.Object) -> BusInterface? {
    switch object {
    case .service: service
    case .collection, .memory: collection
    case .item, .memoryItem: item
    case .session: session
    case .prompt: prompt
    case .folder: nil
    }
  }

  private static let secret = "(oayays)"

  private static let service = BusInterface(SecretServiceNames.service)
    .property("Collections", "ao")
    .method(
      "OpenSession", takes: [("algorithm", "s"), ("input", "v")],
      gives: [("output", "v"), ("result", "o")]
    )
    .method(
      "CreateCollection", takes: [("properties", "a{sv}"), ("alias", "s")],
      gives: [("collection", "o"), ("prompt", "o")]
    )
    .method(
      "SearchItems", takes: [("attributes", "a{ss}")],
      gives: [("unlocked", "ao"), ("locked", "ao")]
    )
    .method(
      "Unlock", takes: [("objects", "ao")], gives: [("unlocked", "ao"), ("prompt", "o")]
    )
    .method("Lock", takes: [("objects", "ao")], gives: [("locked", "ao"), ("prompt", "o")])
    .method(
      "GetSecrets", takes: [("items", "ao"), ("session", "o")],
      gives: [("secrets", "a{o\(secret)}")]
    )
    .method("ReadAlias", takes: [("name", "s")], gives: [("collection", "o")])
    .method("SetAlias", takes: [("name", "s"), ("collection", "o")])
    .signal("CollectionCreated", [("collection", "o")])
    .signal("CollectionDeleted", [("collection", "o")])
    .signal("CollectionChanged", [("collection", "o")])

  private static let collection = BusInterface(SecretServiceNames.collection)
    .property("Items", "ao")
    .property("Label", "s")
    .property("Locked", "b")
    .property("Created", "t")
    .property("Modified", "t")
    .method("Delete", gives: [("prompt", "o")])
    .method("SearchItems", takes: [("attributes", "a{ss}")], gives: [("results", "ao")])
    .method(
      "CreateItem", takes: [("properties", "a{sv}"), ("secret", secret), ("replace", "b")],
      gives: [("item", "o"), ("prompt", "o")]
    )
    .signal("ItemCreated", [("item", "o")])
    .signal("ItemDeleted", [("item", "o")])
    .signal("ItemChanged", [("item", "o")])

  private static let item = BusInterface(SecretServiceNames.item)
    .property("Locked", "b")
    .property("Attributes", "a{ss}", isWritable: true)
    .property("Label", "s", isWritable: true)
    .property("Type", "s")
    .property("Created", "t")
    .property("Modified", "t")
    .method("Delete", gives: [("prompt", "o")])
    .method("GetSecret", takes: [("session", "o")], gives: [("secret", secret)])
    .method("SetSecret", takes: [("secret", secret)])

  private static let session = BusInterface(SecretServiceNames.session).method("Close")

  private static let prompt = BusInterface(SecretServiceNames.prompt)
    .method("Prompt", takes: [("window_id", "s")])
    .method("Dismiss")
    .signal("Completed", [("dismissed", "b"), ("result", "v")])
}
