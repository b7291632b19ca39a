import VaultStorage

extension EnvironmentVariable {
  /// Whether the variable makes programs run other code, or read other files or hosts, than they
  /// would without it.
  ///
  /// The adversary is whoever may change an item but not the line: a member of a space, an import,
  /// a client of the served keyring. Such a variable is set where the line itself names it, and
  /// never since an item has a certain name or attribute.
  ///
  /// Programs follow habits when they name such variables, so most are found by how they end or
  /// begin; the list has the others.
  package static func steersPrograms(_ name: String) -> Bool {
    // Programs read `http_proxy`, too.
    let name = name.uppercased()
    if credentials.contains(where: name.begins(with:)) { return false }
    if exact.contains(name) || ofLanguages.contains(name) || buildTools.contains(name) {
      return true
    }
    if suffixes.contains(where: name.ends(with:)) { return true }
    if isRunCommands(name) || isSearchPath(name) || areFlags(name) { return true }
    guard isOfFamily(name) || hasCommandWord(name) else { return false }
    return !harmless.contains(where: name.ends(with:))
  }

  /// The variable by which programs run other code that an item asks for, by its attribute or its
  /// name: the one that `run` would make of it.
  ///
  /// `Home`, `pager` or `Python Discord` are titles, by which nobody means a variable; `bash-env` and
  /// `app/path` are written as people name what becomes one.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - chosen: What its attribute says, if it has one.
  /// - Returns: The variable; `nil` for an item that asks for none of these.
  package static func steering(ofItem name: String, attribute chosen: String?) -> String? {
    if let chosen, isValid(chosen) { return steersPrograms(chosen) ? chosen : nil }
    let last = String(name.lastComponent)
    if isValid(last), isWritten(last) { return steersPrograms(last) ? last : nil }
    let made = self.name(for: last)
    return !isTitle(last, isInFolder: last.utf8.count < name.utf8.count) && steersPrograms(made)
      ? made : nil
  }

  /// Whether an item's last part is words for people: it has blanks, a capital in front, or it is one
  /// word outside of every folder.
  private static func isTitle(_ last: String, isInFolder: Bool) -> Bool {
    if last.unicodeScalars.contains(where: \.properties.isWhitespace) { return true }
    if last.utf8.contains(where: "-_.".utf8.contains) { return false }
    return !isInFolder || !last.isSame(as: last.lowercased())
  }

  /// Whether a name is written as a variable: `HOME` or `https_proxy`, not `Home` or `pager`.
  private static func isWritten(_ name: String) -> Bool {
    name.isSame(as: name.uppercased()) || lowercase.contains(name)
  }

  /// What programs read in small letters.
  private static let lowercase: Set<String> = [
    "all_proxy", "ftp_proxy", "http_proxy", "https_proxy", "no_proxy",
  ]

  /// A file of commands or settings: `WGETRC`, `INPUTRC`, `PSQLRC`.
  private static func isRunCommands(_ name: String) -> Bool {
    name.ends(with: "RC") && name.utf8.count > 4 && !name.utf8.contains(UInt8(ascii: "_"))
  }

  /// Folders in which a tool looks for what it loads: `MAILPATH`, `AWKLIBPATH`.
  ///
  /// A program of one's own has an underscore there: `UPLOAD_PATH`.
  private static func isSearchPath(_ name: String) -> Bool {
    name.ends(with: "PATH") && !name.ends(with: "_PATH")
  }

  /// Words that make adds to a line: `YFLAGS`.
  ///
  /// A program of one's own has an underscore there:
  /// `FEATURE_FLAGS`.
  private static func areFlags(_ name: String) -> Bool {
    name.ends(with: "FLAGS") && !name.ends(with: "_FLAGS") && name.utf8.count > 5
  }

  /// A program by name, wherever its kind stands: `CHROME_BIN`, `GROFF_COMMAND_PREFIX`.
  private static func hasCommandWord(_ name: String) -> Bool {
    name.parts(at: "_").contains { commandWords.contains(String($0)) }
  }

  private static let commandWords: Set<String> = [
    "ASKPASS", "BIN", "BINARY", "BROWSER", "CMD", "COMMAND", "COMPILER", "EDITOR", "EXEC",
    "EXECUTABLE", "INTERPRETER", "LAUNCHER", "LINKER", "PAGER", "PRELOAD", "PROG", "RSH",
    "WRAPPER",
  ]

  private static func isOfFamily(_ name: String) -> Bool {
    if (prefixes + languages).contains(where: name.begins(with:)) { return true }
    // `PYTHONPATH`, `RUBYOPT`; a program of one's own may well be called `PYTHON_DISCORD`.
    return ["PYTHON", "RUBY"].contains { language in
      name.begins(with: language) && name.utf8.count > language.utf8.count
        && !name.begins(with: language + "_")
    }
  }

  /// Families of variables, of which nobody knows all members.
  private static let prefixes = [
    // The loader, shells, languages.
    "BASH_", "CGO_", "CORECLR_", "COR_PROFILER", "DYLD_", "LD_", "LUA_", "PERL5", "RUBY_DEBUG_",
    "FISH_", "RUSTC", "RUSTDOC", "RUSTUP_", "XDG_",
    // What builds and installs programs.
    "ASDF_", "BUNDLER_", "CARGO_", "CCACHE_", "CMAKE_", "COREPACK_", "CTEST_", "HOMEBREW_",
    "KBUILD_",
    "MISE_", "NIX_", "NPM_CONFIG_", "PIP_", "PNPM_", "POETRY_", "PYENV_", "PYTEST_", "RBENV_",
    "STACK_",
    "TEXMF", "TOX_", "UV_", "VIRTUALENV_", "VOLTA_", "YARN_",
    // Programs with a variable for each of their settings.
    "ANSIBLE_", "AUTOSSH_", "BORG_", "BZR_", "CLOUDSDK_", "DARCS_", "GIT_", "GROFF_", "GS_",
    "HELM_",
    "GUIX_", "KRB5", "KUBECTL_", "LDAPTLS_", "LESSKEY", "MAGICK_", "OPENSSL_", "PACKER_PLUGIN",
    "PASSWORD_STORE_", "PLAYWRIGHT_",
    "RCLONE_", "RSYNC_", "SYSTEMD_", "TF_CLI_", "TF_DATA_", "TF_PLUGIN_", "TF_REATTACH_",
    "VAGRANT_",
    "UWSGI_", "VALGRIND_",
    // Our own: which vault is read, and what opens it.
    "VAULT_",
    // Parameters of MPI name programs and libraries.
    "OMPI_MCA_",
    // Modules of libraries, and where they connect to.
    "DBUS_", "FONTCONFIG_", "GIO_", "GST_PLUGIN", "GTK_", "QML_", "QML2_", "QT_", "SSL_CERT_",
    "VK_ADD_", "VK_ICD_", "VK_LAYER_", "__EGL_", "__GL", "__VK_",
    // Another host for everything.
    "AWS_ENDPOINT_URL",
  ]

  /// Credentials by their documented names, which have others' endings: poetry's of a repository,
  /// and what docker reads in the place of the `auths` of its file.
  private static let credentials = [
    "DOCKER_AUTH_CONFIG", "POETRY_HTTP_BASIC_", "POETRY_PYPI_TOKEN_",
  ]

  /// What steers nobody for all its first letters: `LD_SDK_KEY`, `GIT_TOKEN`, `RESTIC_PASSWORD`.
  private static let harmless = [
    "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_KEY", "_KEY_ID", "SECRET",
    "_SECRET_ID", "_ROLE_ID", "_AUTH", "_USERNAME", "_USER", "_EMAIL", "_ACCOUNT", "_PROJECT",
    "_REGION", "_ZONE", "_REPO",
  ]

  private static let suffixes = [
    // Commands, and programs by name.
    "COMMAND", "CMD", "EDITOR", "PAGER", "_SHELL", "_PROGRAM", "_RUNNER", "_RENDERER",
    // Words that are added to a line.
    "OPTIONS", "OPTS", "_OPT", "_ARGS", "_ARGUMENTS",
    // Code that is loaded.
    "_PRELOAD", "_SETTINGS_MODULE", "_PLUGIN", "_PLUGINS", "_PLUGIN_DIR", "_PLUGIN_PATH",
    "_PLUGINS_DIR", "_PLUGINS_PATH", "_EXTENSIONS_DIR", "_LIBRARY_PATH", "_LOAD_PATH",
    "_MODULE_PATH",
    "_MODULES_PATH", "_EXEC_PATH", "_PROFILER_PATH", "_DRIVERS_PATH", "_UNIT_PATH",
    "_INCLUDE_PATH", "_TYPELIB_PATH", "_EXEC_PREFIX", "_ICD_VENDORS", "_HOME",
    // Settings from another file.
    "CONFIG", "_CONFIG_FILE", "_CONFIG_PATH", "_CONFIG_DIR", "_CONF", "_CONF_DIR", "_CONF_PATH",
    "_CONFDIR", "_RC", "_RCFILE", "_RC_FILE", "_RC_FILES", "_INIT_SCRIPT",
    // Other hosts, and whom programs trust.
    "_PROXY", "_INDEX_URL", "_REGISTRY_URL", "_CA_BUNDLE", "_CREDENTIALS_FILE",
  ]

  private static let exact: Set<String> = [
    // Found from outside, one at a time.
    "AZURE_EXTENSION_DIR", "BUN_INSTALL", "CELERY_LOADER", "CHROME_PATH", "CONDA_EXE",
    "DIRENV_BASH", "GDK_PIXBUF_MODULEDIR", "GTK3_MODULES",
    "HG", "IPYTHONDIR", "NVM_DIR", "OCL_ICD_FILENAMES",
    "PROXYCHAINS_CONF_FILE", "QEMU_LD_PREFIX", "RPM_CONFIGDIR", "SDL_DYNAMIC_API",
    "SPRING_CONFIG_LOCATION",
    "SYSTEM_WGETRC", "TCL_LIBRARY", "TK_LIBRARY",
    "BABL_PATH", "CUDA_INJECTION64_PATH", "FREI0R_PATH", "GDAL_DRIVER_PATH", "GEGL_PATH",
    "MOZ_GMP_PATH", "PIPEWIRE_MODULE_DIR", "QEMU_MODULE_DIR", "UCX_MODULE_DIR", "VDPAU_DRIVER_PATH",
    "ASAN_SYMBOLIZER_PATH", "CHROME_DEVEL_SANDBOX", "CUPS_SERVERBIN", "DISTCC_HOSTS", "FNM_DIR",
    "LIBVIRT_DEFAULT_URI", "LLDB_DEBUGSERVER_PATH", "LLVM_SYMBOLIZER_PATH", "PROMPT", "PROMPT2",
    "PROMPT3", "PROMPT4", "QTWEBENGINEPROCESS_PATH", "RPROMPT", "RPROMPT2", "SDKMAN_DIR",
    "SPACK_ROOT", "TG_TF_PATH", "VIRTUALENVWRAPPER_HOOK_DIR", "WEBDRIVER_CHROME_DRIVER",
    "APPTAINER_BIND", "DEBUGINFOD_URLS", "GSETTINGS_BACKEND", "GSETTINGS_SCHEMA_DIR", "LYNX_CFG",
    "REGISTRY_AUTH_FILE", "SINGULARITY_BIND",
    // A program by its module, or its file.
    "CELERY_APP", "CELERY_CONFIG_MODULE", "FLASK_APP", "UVICORN_APP",
    // Effects, which a program loads as libraries.
    "CLAP_PATH", "DSSI_PATH", "LADSPA_PATH", "LV2_PATH", "LXVST_PATH", "VST_PATH", "VST3_PATH",
    // Shells, and what they start.
    "IFS", "ENV", "SHELL", "BASHOPTS", "PS0", "PS1", "PS2",
    "PS4", "ZDOTDIR", "HOME", "TMPDIR", "TMP", "TEMP", "VISUAL", "BROWSER", "HISTFILE",
    "LESS", "LESSANSIENDCHARS", "LESSBINFMT", "LESSCLOSE", "LESSECHO", "LESSEDIT", "LESSGLOBALTAGS",
    "LESSHISTFILE", "LESSMETACHARS", "LESSMETAESCAPE", "LESSOPEN", "LESSSECURE", "FCEDIT",
    "MAILCAPS",
    "RSH", "TAPE", "MANOPT", "MANROFFOPT", "MORE", "VIMINIT",
    "GVIMINIT",
    "VIM", "VIMRUNTIME", "NVIM_APPNAME", "EXINIT", "SSH_AUTH_SOCK", "SSH_SK_HELPER",
    "SSH_SK_PROVIDER", "SSH_PKCS11_HELPER", "RSYNC_CONNECT_PROG", "SVN_SSH", "HGMERGE",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    // Compression, which reads its options there.
    "BZIP", "BZIP2", "GZIP", "UNZIP", "UNZIPOPT", "XZ_DEFAULTS", "ZIPOPT", "ZIPINFO", "ZIPINFOOPT",
    // The C library.
    "GCONV_PATH", "GCOV_PREFIX", "GLIBC_TUNABLES", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN",
    "MALLOC_TRACE", "NIS_PATH", "RESOLV_HOST_CONF", "TZDIR", "TERMCAP",
    "TERMINFO", "TERMINFO_DIRS", "LLVM_PROFILE_FILE",
    // Languages and what builds their programs.
    "NODE_PATH", "NODE_COMPILE_CACHE", "NODE_EXTRA_CA_CERTS", "NODE_REPL_EXTERNAL_MODULE",
    "NODE_TLS_REJECT_UNAUTHORIZED", "ELECTRON_RUN_AS_NODE", "GEM_PATH", "BUNDLE_GEMFILE",
    "BUNDLE_PATH", "RUBYLIB", "RUBYOPT", "PERLLIB", "PHP_INI_SCAN_DIR", "COMPOSER",
    "GOROOT", "GOPROXY", "GOENV", "GOTOOLCHAIN", "GOTOOLDIR", "GOSUMDB", "GONOSUMDB", "GOINSECURE",
    "GOPRIVATE", "GONOPROXY", "GOWORK", "GOBIN", "GOMODCACHE", "GOVCS", "GOAUTH", "GOCACHEPROG",
    "GHCRTS", "MAKEFILES",
    "CONFIG_SITE", "DEVELOPER_DIR", "SDKROOT", "PKG_CONFIG_LIBDIR",
    "PKG_CONFIG_SYSROOT_DIR", "COMPILER_PATH", "LIBRARY_PATH", "ACLOCAL_PATH", "QMAKESPEC",
    "VIRTUAL_ENV", "CONDA_PREFIX", "ASDF_DIR", "TEXINPUTS", "OPENOUT_ANY", "SHELL_ESCAPE",
    "COVERAGE_PROCESS_START",
    // Modules of libraries, and whom they trust.
    "GDK_PIXBUF_MODULE_FILE", "SASL_PATH", "LDAPCONF", "SSLKEYLOGFILE", "GNUPGHOME", "P11_KIT_DIR",
    "WINEDLLOVERRIDES", "WINELOADER", "WINEPREFIX",
    // Whom pass encrypts to, and whose list of them it believes.
    "PASSWORD_STORE_KEY", "PASSWORD_STORE_SIGNING_KEY",
    // Databases.
    "PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGPASSFILE", "PGSSLCERT", "PGSSLCRL", "PGSSLKEY",
    "PGSSLROOTCERT", "PGLOCALEDIR", "MYSQL_TEST_LOGIN_FILE", "ODBCINI", "ODBCINSTINI",
    "ODBCSYSINI", "TNS_ADMIN", "FREETDS",
    // Our own that is a secret, too.
    "VAULT_PASSPHRASE",
    // Programs that read which host or settings are meant.
    "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_WEB_IDENTITY_TOKEN_FILE", "BUILDKIT_HOST",
    "BUILDX_BUILDER", "COMPOSE_FILE", "COMPOSE_ENV_FILES", "CONTAINER_HOST", "CONTAINERS_CONF",
    "CONTAINERS_STORAGE_CONF", "DOCKER_CERT_PATH", "DOCKER_CONTEXT", "DOCKER_HOST",
    "DOCKER_TLS_VERIFY", "GH_HOST", "GH_PATH", "KUBERNETES_SERVICE_HOST",
    "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES",
    // Whom a token is sent to.
    "ANTHROPIC_BASE_URL", "HF_ENDPOINT", "OPENAI_API_BASE", "OPENAI_BASE_URL",
    // Descriptors and sockets of the process that a program takes over.
    "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "TMUX",
    // What a file is, by libmagic's other list.
    "MAGIC",
  ]

  /// The programs that make and configure run: make takes its built-in names from the environment,
  /// and so do the scripts of the GNU build system.
  ///
  /// GNU make's manual, "Variables Used by Implicit Rules"; Autoconf's, "Particular Programs".
  private static let buildTools: Set<String> = [
    "ACLOCAL", "AR", "AS", "AUTOCONF", "AUTOHEADER", "AUTOM4TE", "AUTOMAKE", "AUTORECONF", "AWK",
    "BISON", "CC", "CMAKE", "CO", "CPP", "CROSS_COMPILE", "CTANGLE", "CWEAVE", "CXX", "DC",
    "DLLTOOL",
    "EGREP", "F77", "FC", "FGREP", "FLEX", "GET", "GO", "GREP", "HOSTCC", "HOSTCXX", "INSTALL",
    "INSTALL_DATA", "INSTALL_SCRIPT", "INSTALL_STRIP_PROGRAM", "JAR", "JAVA", "JAVAC", "JAVADOC",
    "LD",
    "LDLIBS", "LEX", "LIBTOOL", "LIBTOOLIZE", "LINT", "LN_S", "LOADLIBES", "M2C", "M4", "MAKE",
    "MAKEINFO",
    "MKDIR_P", "MT", "MV", "NINJA", "NM", "NVCC", "OBJC", "OBJCOPY", "OBJCXX", "OBJDUMP", "PC",
    "PERL",
    "PYTHON", "PYTHON3", "RANLIB", "READELF", "RM", "RUBY", "RUSTC", "SED", "SIZE", "STRIP",
    "SWIFTC",
    "TANGLE", "TAR", "TEX", "TEXI2DVI", "TEXI2PDF", "WEAVE", "WINDRES", "XGETTEXT", "YACC",
  ]
}
