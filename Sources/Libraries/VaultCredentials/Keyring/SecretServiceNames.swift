/// The names of the Secret Service API, version 0.2, and of the bus itself.
///
/// What is not in the API is gnome-keyring's and libsecret's.
package enum SecretServiceNames {
  package static let bus = "org.freedesktop.DBus"
  package static let busPath = "/org/freedesktop/DBus"
  package static let properties = "org.freedesktop.DBus.Properties"

  package static let serviceName = "org.freedesktop.secrets"
  package static let service = "org.freedesktop.Secret.Service"
  package static let collection = "org.freedesktop.Secret.Collection"
  package static let item = "org.freedesktop.Secret.Item"
  package static let session = "org.freedesktop.Secret.Session"
  package static let prompt = "org.freedesktop.Secret.Prompt"

  package static let servicePath = "/org/freedesktop/secrets"
  package static let collections = "/org/freedesktop/secrets/collection"
  package static let aliases = "/org/freedesktop/secrets/aliases"
  package static let sessions = "/org/freedesktop/secrets/session"
  package static let prompts = "/org/freedesktop/secrets/prompt"
  /// What stands for "no object" and "no prompt".
  package static let nothing = "/"

  /// The attribute in which libsecret keeps the schema's name.
  package static let schemaAttribute = "xdg:schema"
  package static let genericSchema = "org.freedesktop.Secret.Generic"

  /// gnome-keyring's own interface, which its name calls unsupported (daemon/dbus of its source).
  static let masterPassword = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
  /// What asks for gnome-keyring: gcr's prompter.
  static let prompter = "org.gnome.keyring.SystemPrompter"

  /// The unique name of `vault keyring serve` on a bus of its own.
  package static let servedUniqueName = ":vault.1"
  /// The second name of `vault keyring serve` on the session bus, by which `vault` knows it.
  package static let servedName = "io.github.vault_swift.Keyring"
}

/// The names of the Secret Service's errors.
package enum SecretServiceError {
  package static let isLocked = "org.freedesktop.Secret.Error.IsLocked"
  package static let noSession = "org.freedesktop.Secret.Error.NoSession"
  package static let alreadyExists = "org.freedesktop.Secret.Error.AlreadyExists"
  package static let noSuchObject = "org.freedesktop.Secret.Error.NoSuchObject"
}
