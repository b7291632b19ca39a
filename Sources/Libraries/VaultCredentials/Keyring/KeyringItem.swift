/// An item of the keyring, but for its secret.
package struct KeyringItem: Sendable, Equatable {
  /// The path by which it is changed and deleted.
  package let path: String
  /// What it is found by; hashed by gnome-keyring while the keyring was never unlocked.
  package let attributes: [String: String]
  /// What people see; untrusted text.
  package let label: String
  /// Seconds since 1970; 0 if unknown.
  package let created: Int64
  /// Seconds since 1970; 0 if unknown.
  package let modified: Int64
  /// Whether its secret cannot be read now.
  package let isLocked: Bool

  /// An item that another conformer than the bus has.
  package init(path: String, attributes: [String: String], label: String) {
    self.path = path
    self.attributes = attributes
    self.label = label
    created = 0
    modified = 0
    isLocked = false
  }

  init(_ path: String, _ properties: [String: BusValue], isLocked: Bool) {
    self.path = path
    attributes = properties["Attributes"]?.textEntries ?? [:]
    label = properties["Label"]?.text ?? ""
    created = Int64(clamping: properties["Created"]?.number ?? 0)
    modified = Int64(clamping: properties["Modified"]?.number ?? 0)
    self.isLocked = isLocked
  }

  /// The attributes, but for the schema's name, which libsecret keeps among them.
  package var ownAttributes: [String: String] {
    attributes.filter { $0.key != SecretServiceNames.schemaAttribute }
  }

  /// Whether every attribute of `asked` is among the item's.
  func holds(_ asked: [String: String]) -> Bool {
    asked.allSatisfy { attributes[$0.key] == $0.value }
  }

  /// The program that seems to have written it, by the attributes that each program writes.
  package var ownerHint: String? {
    let schema = attributes[SecretServiceNames.schemaAttribute] ?? ""
    if let known = Self.schemas[schema] { return known }
    if let application = attributes["application"] {
      return application == "Python keyring library" ? "Python keyring" : application
    }
    if attributes["service"]?.hasPrefix("gh:") == true { return "gh" }
    if attributes["docker_cli"] == "1" { return "docker" }
    return schema.isEmpty || schema == SecretServiceNames.genericSchema ? nil : schema
  }

  private static let schemas = [
    "org.git.Password": "git",
    "org.gnome.keyring.NetworkPassword": "git or a GNOME program",
    "com.microsoft.GitCredentialManager": "Git Credential Manager",
    "io.docker.Credentials": "docker",
    "envchain.EnvironmentVariable": "envchain",
    "chrome_libsecret_os_crypt_password_v2": "Chromium or an Electron program",
  ]
}

/// What a search found, the two halves apart.
package struct KeyringMatches: Sendable, Equatable {
  /// Items whose secrets can be read.
  package var unlocked: [KeyringItem] = []
  /// Items that are there, but locked.
  package var locked: [KeyringItem] = []

  package init() {}
}

/// What an item of ours is found by, and nothing else.
package struct KeyringIdentity: Sendable, Hashable {
  package let service: String
  package let username: String

  package init(service: String, username: String) {
    self.service = service
    self.username = username
  }

  /// What a search asks for: other programs' changes may drop the third attribute.
  package var searched: [String: String] { ["service": service, "username": username] }

  /// What an item of ours is made with.
  package var attributes: [String: String] {
    ["service": service, "username": username, "application": "vault"]
  }

  /// Whether `item` carries all attributes that ours are made with.
  ///
  /// It may carry more: KeePassXC adds Title, UserName, URL, Notes, Path and Uuid to every item.
  package func isCarried(by item: KeyringItem) -> Bool { item.holds(attributes) }
}
