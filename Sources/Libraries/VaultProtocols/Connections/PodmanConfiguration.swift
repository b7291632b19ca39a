/// A file beside podman's own configuration, which podman reads in addition to it.
///
/// A `registries.conf` of the user's would take the place of the system's:
/// containers-registries.conf.d(5).
public enum PodmanConfiguration {
  /// The path of the file below the user's configuration folder.
  public static let path = "containers/registries.conf.d/50-vault.conf"

  /// The lines of the file.
  public static let lines = [
    "# >>> vault connect podman", "credential-helpers = [\"vault\", \"containers-auth.json\"]",
    "# <<< vault connect podman",
  ]

  /// The contents of the file.
  public static var text: String { lines.map { $0 + "\n" }.joined() }
}
