/// The names of the Secret Service API, version 0.2, and of the bus itself.
enum SecretServiceNames {
  static let bus = "org.freedesktop.DBus"
  static let busPath = "/org/freedesktop/DBus"
  static let serviceName = "org.freedesktop.secrets"
  static let servicePath = "/org/freedesktop/secrets"
  static let service = "org.freedesktop.Secret.Service"
  static let collection = "org.freedesktop.Secret.Collection"
  static let item = "org.freedesktop.Secret.Item"
  static let prompt = "org.freedesktop.Secret.Prompt"
  static let properties = "org.freedesktop.DBus.Properties"
  /// gnome-keyring's own interface, which its name calls unsupported (daemon/dbus of its source).
  static let masterPassword = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
  /// What asks for gnome-keyring: gcr's prompter.
  static let prompter = "org.gnome.keyring.SystemPrompter"
  /// The unique name of `vault keyring serve` on a bus of its own.
  static let servedUniqueName = ":vault.1"
  /// The second name of `vault keyring serve` on the session bus.
  static let servedName = "io.github.vault_swift.Keyring"
  /// What stands for "no object" and "no prompt".
  static let nothing = "/"
  /// The attribute in which libsecret keeps the schema's name.
  static let schemaAttribute = "xdg:schema"
  static let genericSchema = "org.freedesktop.Secret.Generic"
}
