/// What git gets of this process's environment, and the settings that it is run with.
///
/// A vault may be synchronized from a hook or an alias of git, whose variables name another
/// repository. What leads to credentials, proxies and the user's own settings stays.
enum GitEnvironment {
  /// git(1), "Environment Variables"; everything else that begins with `GIT_` is left out.
  private static let kept: Set<String> = [
    "GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_HTTP_LOW_SPEED_LIMIT", "GIT_HTTP_LOW_SPEED_TIME",
    "GIT_HTTP_PROXY_AUTHMETHOD", "GIT_HTTP_USER_AGENT", "GIT_PROTOCOL_FROM_USER",
    "GIT_PROXY_COMMAND", "GIT_PROXY_SSL_CAINFO", "GIT_PROXY_SSL_CERT", "GIT_PROXY_SSL_KEY",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
    "GIT_SSL_CERT", "GIT_SSL_CIPHER_LIST", "GIT_SSL_KEY", "GIT_SSL_NO_VERIFY", "GIT_SSL_VERSION",
  ]

  /// What opens a window to ask in.
  private static let asking: Set<String> = ["GIT_ASKPASS", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE"]

  /// Whether git gets a variable.
  ///
  /// - Parameters:
  ///   - name: The variable's.
  ///   - asks: Whether it may ask somebody.
  /// - Returns: Whether it does.
  static func keeps(_ name: String, asks: Bool) -> Bool {
    if !asks, asking.contains(name) { return false }
    return !name.hasPrefix("GIT_") || kept.contains(name)
  }

  /// Variables to add: messages in English, which ``GitFailure`` reads.
  static func variables(asks: Bool) -> [String: String] {
    var variables = ["LC_ALL": "C", "GIT_TERMINAL_PROMPT": asks ? "1" : "0"]
    if !asks { variables["SSH_ASKPASS_REQUIRE"] = "never" }
    return variables
  }

  /// git-config(1): nothing of the user's settings starts a program, signs or prunes here.
  static let settings = [
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.alternateRefsCommand=true",
    "core.bigFileThreshold=32m", "core.packedGitWindowSize=64m", "core.packedGitLimit=256m",
    "pack.threads=1", "push.gpgSign=false", "push.pushOption=", "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false", "protocol.ext.allow=never",
  ]
}
