import VaultDataStore
import VaultStorage

// What an app-data store says of itself: any program of the user may have written it.
extension FuzzTarget {
  static let stores = [
    FuzzTarget("store-schema") { input in
      let schema = try StoredSchema(encoded: text(input))
      _ = schema.fingerprint
      for entity in schema.entities { _ = schema.lineage(of: entity) }
      try schema.validate()
      _ = schema.statements
      try check(
        try StoredSchema(encoded: schema.encoded()) == schema,
        "written and read it is another schema")
    },
    FuzzTarget("external-reference") { input in
      guard let reference = ExternalReference(text(input)) else { return }
      try check(!reference.name.utf8.contains(0x2F), "a reference leads out of its folder")
      try check(
        ExternalReference(reference.text) == reference, "written and read it is another reference")
    },
  ]
}
