/// What rclone gets of this process's environment.
///
/// Its configuration, and what leads to it and to credentials, as with git. Any option of rclone may
/// be a variable: `RCLONE_EXCLUDE` would leave records out, and `RCLONE_DUMP` would write what is
/// sent to a log.
package enum RcloneEnvironment {
  private static let kept: Set<String> = [
    "HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "XDG_CONFIG_HOME",
    "RCLONE_CONFIG", "RCLONE_PASSWORD_COMMAND", "RCLONE_CA_CERT", "RCLONE_CLIENT_CERT",
    "RCLONE_CLIENT_KEY", "RCLONE_BWLIMIT", "RCLONE_TPSLIMIT",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "SSH_AUTH_SOCK", "GOOGLE_APPLICATION_CREDENTIALS",
  ]

  /// `RCLONE_CONFIG_PASS`, options of remotes, and what storages are known by.
  private static let beginnings = ["RCLONE_CONFIG_", "AWS_", "AZURE_"]

  /// Whether rclone gets a variable.
  ///
  /// - Parameter name: The variable's.
  /// - Returns: Whether it does.
  package static func keeps(_ name: String) -> Bool {
    kept.contains(name) || beginnings.contains { name.hasPrefix($0) }
  }
}
