/// Names of the Secret Service.
///
/// Secret Service API Draft 0.2; what is not in it is gnome-keyring's.
enum SecretServiceNames {
  static let service = "org.freedesktop.Secret.Service"
  static let collection = "org.freedesktop.Secret.Collection"
  static let item = "org.freedesktop.Secret.Item"
  static let session = "org.freedesktop.Secret.Session"
  static let prompt = "org.freedesktop.Secret.Prompt"

  static let root = "/org/freedesktop/secrets"
  static let collections = "/org/freedesktop/secrets/collection"
  static let aliases = "/org/freedesktop/secrets/aliases"
  static let sessions = "/org/freedesktop/secrets/session"
  static let prompts = "/org/freedesktop/secrets/prompt"
  /// No object.
  static let nothing = "/"

  static let schema = "xdg:schema"
  static let genericSchema = "org.freedesktop.Secret.Generic"
}

/// Names of the Secret Service's errors.
enum SecretServiceError {
  static let isLocked = "org.freedesktop.Secret.Error.IsLocked"
  static let noSession = "org.freedesktop.Secret.Error.NoSession"
  static let alreadyExists = "org.freedesktop.Secret.Error.AlreadyExists"
  static let noSuchObject = "org.freedesktop.Secret.Error.NoSuchObject"
}
