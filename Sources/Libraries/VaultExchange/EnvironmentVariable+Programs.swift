extension EnvironmentVariable {
  /// Whether the variable makes programs run other code, or read other files or hosts, than they
  /// would without it.
  ///
  /// The adversary is whoever may change an item but not the line: a member of a space, an import,
  /// a client of the served keyring. Such a variable is set where the line itself names it, and
  /// never since an item has a certain name or attribute.
  package static func steersPrograms(_ name: String) -> Bool {
    // Programs read `http_proxy`, too.
    let name = name.uppercased()
    if exact.contains(name) { return true }
    if suffixes.contains(where: { name.utf8.reversed().starts(with: $0.utf8.reversed()) }) {
      return true
    }
    return prefixes.contains { name.utf8.starts(with: $0.utf8) }
      && !harmless.contains { name.utf8.reversed().starts(with: $0.utf8.reversed()) }
  }

  /// Families of variables, of which nobody knows all members.
  private static let prefixes = [
    "BASH_", "DYLD_", "GIT_", "LD_", "LUA_", "PERL5", "PYTHON", "RUBY", "XDG_",
  ]

  /// What is none of those families for all its first letters: `LD_SDK_KEY`, `GIT_TOKEN`.
  private static let harmless = [
    "_TOKEN", "_PASSWORD", "_PASS", "_KEY", "_SECRET", "_USERNAME",
  ]

  private static let suffixes = ["_PRELOAD", "_PROXY"]

  private static let exact: Set<String> = [
    // Shells, and what they start.
    "PATH", "IFS", "ENV", "CDPATH", "FPATH", "SHELL", "SHELLOPTS", "BASHOPTS", "PS4",
    "PROMPT_COMMAND", "ZDOTDIR", "HOME", "TMPDIR", "EDITOR", "VISUAL", "PAGER", "MANPAGER",
    "BROWSER", "LESSOPEN", "LESSCLOSE", "VIMINIT", "EXINIT", "SSH_ASKPASS", "SUDO_ASKPASS",
    "SSH_AUTH_SOCK", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "HGRCPATH", "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS", "DBUS_SESSION_BUS_ADDRESS",
    // The C library.
    "GCONV_PATH", "GLIBC_TUNABLES", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH",
    "MALLOC_TRACE", "NIS_PATH", "NLSPATH", "RES_OPTIONS", "RESOLV_HOST_CONF", "TZDIR", "TERMCAP",
    "TERMINFO", "TERMINFO_DIRS",
    // Languages and what builds their programs.
    "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED",
    "NPM_CONFIG_GLOBALCONFIG", "NPM_CONFIG_NODE_OPTIONS", "NPM_CONFIG_PREFIX",
    "NPM_CONFIG_REGISTRY", "NPM_CONFIG_SCRIPT_SHELL", "NPM_CONFIG_USERCONFIG",
    "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "JAVA_HOME", "CLASSPATH",
    "MAVEN_OPTS", "GRADLE_OPTS", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "PERLLIB", "PERL_MB_OPT",
    "PERL_MM_OPT", "PHPRC", "PHP_INI_SCAN_DIR", "GOPATH", "GOROOT", "GOFLAGS", "GOPROXY", "GOENV",
    "GOTOOLCHAIN", "CARGO_HOME", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS", "RUSTUP_HOME",
    "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH", "COR_PROFILER",
    "COR_PROFILER_PATH", "PSMODULEPATH", "ERL_AFLAGS", "ERL_FLAGS", "ERL_LIBS", "ERL_ZFLAGS",
    "R_ENVIRON", "R_PROFILE", "R_PROFILE_USER", "JULIA_LOAD_PATH", "TCLLIBPATH",
    "GUILE_LOAD_PATH", "CC", "CXX", "CPP", "LD", "AR", "MAKEFLAGS", "MAKEFILES", "PKG_CONFIG_PATH",
    "PIP_CONFIG_FILE",
    // Modules of libraries, and whom they trust.
    "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "GTK_MODULES", "GTK_PATH", "GST_PLUGIN_PATH",
    "QT_PLUGIN_PATH", "CURL_HOME", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR",
    "SSL_CERT_FILE", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
    // Configuration that names programs.
    "ANSIBLE_CONFIG", "AWS_CA_BUNDLE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    "DOCKER_CONFIG", "DOCKER_HOST", "KUBECONFIG", "RIPGREP_CONFIG_PATH",
  ]
}
