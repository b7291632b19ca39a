import VaultStorage

/// The environment variable of an item.
///
/// The same rule in both directions: a variable that an import reads comes out of an export, and
/// into a process, under the same name.
package enum EnvironmentVariable {
  /// The attribute by which an item names its variable, where the rule would choose another one.
  package static let attribute = "variable"

  /// The variable of a name: `api-token` is `API_TOKEN`.
  package static func name(for text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": name += String(scalar).uppercased()
      default: name += "_"
      }
    }
    if let first = name.utf8.first, (0x30...0x39).contains(first) { name = "_" + name }
    return name
  }

  /// The variable of an item.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - attributes: Its attributes; ``attribute`` overrides the name.
  ///   - isWhole: Whether all parts of the name count, or only the last one.
  /// - Returns: The variable.
  package static func name(
    forItem name: String, attributes: [String: String], isWhole: Bool
  ) -> String {
    if isWhole { return self.name(for: name) }
    if let chosen = attributes[attribute], isValid(chosen) { return chosen }
    return self.name(for: String(name.lastComponent))
  }

  /// Whether a variable makes programs run other code, read other files or talk to somebody else.
  ///
  /// What an item is called, and which variable it asks for, others may decide: a member of a space, an
  /// import. Such a variable is set where the line itself names it.
  ///
  /// Sources: ld.so(8), bash(1), git(1), and the environment pages of the interpreters named here.
  package static func steersPrograms(_ name: String) -> Bool {
    if steering.contains(name) || ownPrefixes.contains(where: { name.hasPrefix($0) }) {
      return true
    }
    if steeringSuffixes.contains(where: { name.hasSuffix($0) }) { return true }
    // GIT_TOKEN and its like are what people keep secrets for.
    return sharedPrefixes.contains { name.hasPrefix($0) }
      && !secretSuffixes.contains { name.hasSuffix($0) }
  }

  /// All variables of these are of a loader or a shell.
  private static let ownPrefixes = ["LD_", "DYLD_", "BASH_FUNC_", "GLIBC_", "GCONV_"]
  /// Variables of these steer a program, but for its secrets.
  private static let sharedPrefixes = [
    "GIT_", "PYTHON", "PERL5", "RUBY", "NPM_CONFIG_", "npm_config_", "LUA_", "MALLOC_", "CORECLR_",
    "COR_", "CARGO_BUILD_", "CARGO_TARGET_", "CARGO_ALIAS_", "XDG_", "DBUS_", "SYSTEMD_", "VAULT_",
  ]
  private static let secretSuffixes = [
    "_TOKEN", "_PASSWORD", "_PASSWD", "_PASS", "_SECRET", "_KEY", "_CREDENTIALS", "_USER",
    "_USERNAME",
  ]
  private static let steeringSuffixes = ["_PRELOAD", "_PROXY", "_ASKPASS", "_PAGER", "_EDITOR"]
  private static let steering: Set<String> = [
    "PATH", "CDPATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND",
    "SHELL", "HOME", "TMPDIR", "ZDOTDIR", "FPATH", "EDITOR", "VISUAL", "PAGER", "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE", "BROWSER", "TERMINFO", "TERMINFO_DIRS", "TERMCAP", "SSH_AUTH_SOCK",
    "SSH_SK_PROVIDER",
    "GNUPGHOME", "PERLLIB", "PERL_MB_OPT", "PERL_MM_OPT", "CLASSPATH", "JAVA_TOOL_OPTIONS",
    "JAVA_OPTS", "JAVA_HOME", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "MAVEN_OPTS", "GRADLE_OPTS",
    "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "GOFLAGS", "GOPATH", "GOROOT", "NODE_OPTIONS",
    "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "PHPRC", "PHP_INI_SCAN_DIR",
    "R_PROFILE", "R_ENVIRON", "R_HOME", "TCLLIBPATH", "GHC_PACKAGE_PATH", "ERL_FLAGS",
    "ELIXIR_ERL_OPTIONS", "DOTNET_STARTUP_HOOKS", "DOTNET_ROOT", "CARGO_HOME", "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "MAKEFLAGS", "MAKEFILES", "DOCKER_HOST",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "KUBECONFIG", "LOCPATH", "NLSPATH", "HOSTALIASES",
    "RES_OPTIONS", "LOCALDOMAIN", "RESOLV_HOST_CONF", "OPENSSL_CONF", "OPENSSL_MODULES",
    "OPENSSL_ENGINES", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
    "CURL_HOME", "WGETRC", "ANSIBLE_CONFIG", "PSQLRC", "INPUTRC", "http_proxy", "https_proxy",
    "ftp_proxy", "all_proxy", "no_proxy",
  ]

  /// Whether a shell takes the text for a variable's name: IEEE Std 1003.1, 3.216.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
      default: false
      }
    }
  }

  /// Whether the variable says anything: a name of underscores only came from one without letters.
  package static func isReadable(_ name: String) -> Bool {
    name.utf8.contains { $0 != UInt8(ascii: "_") }
  }
}
