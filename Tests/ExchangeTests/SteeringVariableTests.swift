import Testing
import VaultCredentials

/// Which variables an item may not choose: whoever may change it would choose what others run.
struct SteeringVariableTests {
  @Test(arguments: [
    "TAR_OPTIONS", "RCLONE_PASSWORD_COMMAND", "WGETRC", "RESTIC_PASSWORD_COMMAND",
    "BORG_PASSCOMMAND", "BORG_RSH", "RSYNC_CONNECT_PROG", "RSYNC_RSH", "AWS_PAGER", "GH_PAGER",
    "BAT_PAGER", "SYSTEMD_PAGER", "KUBE_EDITOR", "SUDO_EDITOR", "PSQLRC", "PGSERVICEFILE",
    "PGSYSCONFDIR", "TF_CLI_CONFIG_FILE", "TF_CLI_ARGS", "TF_CLI_ARGS_plan",
    "CARGO_BUILD_RUSTC_WRAPPER", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "ANSIBLE_LIBRARY",
    "ANSIBLE_SSH_EXECUTABLE", "HELM_PLUGINS", "HELM_POST_RENDERER", "PYTEST_PLUGINS",
    "PYTEST_ADDOPTS", "LESSKEY_CONTENT", "LESSOPEN", "HGMERGE", "CMAKE_TOOLCHAIN_FILE",
    "CLOUDSDK_PYTHON", "PIP_INDEX_URL", "UV_INDEX_URL", "KRB5_CONFIG", "SSLKEYLOGFILE",
    "GNUPGHOME", "DOCKER_CONTEXT", "DOCKER_HOST", "VAULT_HOME", "VAULT_KEY_FILE", "VAULT_NAME",
    "VAULT_PASSPHRASE", "KUBECONFIG", "http_proxy", "PYTHONPATH", "RUBYOPT", "GIT_CONFIG_KEY_0",
    "ANSIBLE_VAULT_PASSWORD_FILE", "SOPS_AGE_KEY_CMD", "JAVA_HOME", "RESTIC_REST_OPTS", "MAILPATH",
    "PATH", "COMPILER_PATH",
    "GCC_EXEC_PREFIX", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "AWKPATH",
    "AWKLIBPATH", "GI_TYPELIB_PATH", "OCL_ICD_VENDORS", "ACLOCAL_PATH", "QMAKESPEC", "VIM",
    "NVIM_APPNAME", "VIRTUAL_ENV", "CONDA_PREFIX", "ASDF_DIR", "fish_function_path",
    "fish_user_paths",
    "RM", "MAKE", "YACC", "AWK", "AUTOCONF", "INSTALL", "STRIP", "YFLAGS", "GROFF_BIN_PATH",
    "GROFF_COMMAND_PREFIX", "READNULLCMD", "CHROME_BIN", "ESBUILD_BINARY_PATH", "JAVACMD",
    "PUPPETEER_EXECUTABLE_PATH", "AUTOSSH_PATH", "FCEDIT", "LESSECHO", "LESSGLOBALTAGS",
    "MAGICK_CONFIGURE_PATH", "GS_LIB", "VALGRIND_LIB", "MAILCAPS", "BZR_SSH", "DARCS_SSH", "RSH",
    "TAPE", "GOWORK", "BUNDLER_SETUP", "NODE_COMPILE_CACHE", "COREPACK_NPM_REGISTRY",
    "TF_REATTACH_PROVIDERS", "__EGL_VENDOR_LIBRARY_FILENAMES", "STACK_YAML", "MISE_SHELL",
    "AWS_ENDPOINT_URL_S3", "PASSWORD_STORE_KEY", "PASSWORD_STORE_SIGNING_KEY",
    "TCL_LIBRARY", "DIRENV_BASH", "GTK3_MODULES", "GDK_PIXBUF_MODULEDIR", "SDL_DYNAMIC_API",
    "OCL_ICD_FILENAMES", "LADSPA_PATH", "IPYTHONDIR", "NVM_DIR", "OMPI_MCA_plm_rsh_agent",
    "QEMU_LD_PREFIX", "SYSTEM_WGETRC", "HG",
    "DOCKER_CONFIG", "GUIX_PACKAGE_PATH", "PLAYWRIGHT_BROWSERS_PATH", "POETRY_CONFIG_DIR",
    "POETRY_VIRTUALENVS_PATH", "RPM_CONFIGDIR",
    "OCTAVE_PATH", "OCTAVE_SITE_INITFILE", "R_LIBS", "R_LIBS_SITE", "R_PROFILE_USER", "R_ENVIRON",
    "R_ENVIRON_USER", "R_LIBS_USER", "R_DEFAULT_PACKAGES", "R_MAKEVARS_USER", "JULIA_LOAD_PATH",
    "JULIA_DEPOT_PATH", "JULIA_PROJECT",
    "LUA_PATH", "LUA_CPATH_5_4", "LUA_INIT", "LUAROCKS_CONFIG", "GUILE_LOAD_PATH",
    "GUILE_LOAD_COMPILED_PATH", "GUILE_SYSTEM_EXTENSIONS_PATH", "TCLLIBPATH", "TCL8_6_TM_PATH",
    "PERL5LIB", "PERL5OPT", "PERL_MM_OPT", "PERL_LOCAL_LIB_ROOT", "PHPRC", "COMPOSER_VENDOR_DIR",
    "DOTNET_STARTUP_HOOKS", "DOTNET_ROOT", "MONO_PATH", "NUGET_PACKAGES", "ERL_LIBS", "ERL_INETRC",
    "MIX_EXS", "OCAMLPATH", "OCAMLRUNPARAM", "CAML_LD_LIBRARY_PATH", "OPAMROOT", "GHC_PACKAGE_PATH",
    "GHCRTS", "CHICKEN_REPOSITORY_PATH", "PLTCOLLECTS", "CRYSTAL_PATH", "HAXELIB_PATH", "RAKULIB",
    "PYSPARK_PYTHON", "SPARK_CLASSPATH", "JUPYTER_PATH", "MPLCONFIGDIR", "TS_NODE_PROJECT",
    "BUN_INSTALL", "DENO_DIR", "GODEBUG", "GOPATH", "GNUPLOT_LIB", "EMACSLOADPATH", "PSModulePath",
    "XONSHRC", "IRBRC", "SBCL_CORE", "CL_SOURCE_REGISTRY", "ADA_PROJECT_PATH", "ZIG_LIB_DIR",
  ])
  func whatRunsOtherCodeIsFound(name: String) { #expect(EnvironmentVariable.steersPrograms(name)) }

  @Test(arguments: [
    "API_TOKEN", "DATABASE_URL", "DB_PASSWORD", "STRIPE_KEY", "JWT_SECRET", "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "PGPASSWORD", "PGHOST", "PGUSER",
    "PGPORT", "PGDATABASE", "PGSSLMODE", "GH_TOKEN", "GITHUB_TOKEN", "RESTIC_PASSWORD",
    "RESTIC_REPOSITORY", "BORG_PASSPHRASE", "BORG_REPO", "RSYNC_PASSWORD", "SSH_KEY",
    "SSH_PRIVATE_KEY", "RCLONE_CONFIG_PASS", "NPM_TOKEN", "CARGO_REGISTRY_TOKEN",
    "UV_PUBLISH_TOKEN", "TF_VAR_db_password", "TF_TOKEN_app_terraform_io", "ANSIBLE_VAULT_PASSWORD",
    "HOMEBREW_GITHUB_API_TOKEN", "VAULT_TOKEN", "VAULT_SECRET_ID", "NODE_ENV", "PORT", "HOST",
    "REDIS_URL", "SMTP_USERNAME", "SENTRY_DSN", "SLACK_WEBHOOK", "LOG_LEVEL", "DOCKER_PASSWORD",
    "GOOGLE_API_KEY", "FEATURE_FLAGS", "IMAGE_SRC", "PYTHON_DISCORD", "MYSQL_ROOT_PASSWORD",
    "TWINE_PASSWORD", "GIT_TOKEN", "LD_SDK_KEY", "UPLOAD_PATH", "DATA_DIR", "STATIC_PATH",
    "SHELL_TOKEN", "BROWSER_API_KEY", "BIN_LOOKUP_KEY", "COMMAND_CENTER_PASSWORD",
    "STRIPE_ENDPOINT",
    "S3_ENDPOINT", "FISH_TOKEN", "NUGET_API_KEY", "COMPOSER_AUTH", "HEX_API_KEY",
    "DENO_AUTH_TOKENS",
    "JUPYTER_TOKEN", "GHCR_PAT", "BUNDLE_RUBYGEMS__PKG__GITHUB__COM", "OPENAI_API_KEY", "MIX_ENV",
    "DOCKER_AUTH_CONFIG", "POETRY_HTTP_BASIC_MINE_PASSWORD", "POETRY_HTTP_BASIC_MINE_USERNAME",
    "POETRY_PYPI_TOKEN_PYPI", "POETRY_PYPI_TOKEN_MY_CMD",
    "SWIFT_CODE", "RUBYGEMS_API_KEY", "SCALA_CLOUD_URL", "R_API_TOKEN", "DOTNET_TOKEN",
  ])
  func whatIsASecretIsNone(name: String) { #expect(!EnvironmentVariable.steersPrograms(name)) }

  @Test func titlesAreNoVariables() {
    for title in ["Home", "path", "Python Discord", "Git/Hub", "LD Systems", "pager"] {
      #expect(EnvironmentVariable.steering(ofItem: title, attribute: nil) == nil, "\(title)")
    }
    for (name, variable) in [
      ("x/bash-env", "BASH_ENV"), ("ld.preload", "LD_PRELOAD"), ("x/Bash_Env", "BASH_ENV"),
      ("app/path", "PATH"), ("x/y/git-ssh-command", "GIT_SSH_COMMAND"),
    ] {
      #expect(EnvironmentVariable.steering(ofItem: name, attribute: nil) == variable, "\(name)")
      #expect(
        EnvironmentVariable.name(forItem: name, attributes: [:], isWhole: false) == variable)
    }
    for name in ["x/api-token", "web/Home", "a/git-token"] {
      #expect(EnvironmentVariable.steering(ofItem: name, attribute: nil) == nil, "\(name)")
    }
    for name in ["PATH", "app/TAR_OPTIONS", "x/https_proxy"] {
      #expect(EnvironmentVariable.steering(ofItem: name, attribute: nil) != nil, "\(name)")
    }
    #expect(EnvironmentVariable.steering(ofItem: "PATH", attribute: "MY_PATHS") == nil)
    #expect(EnvironmentVariable.steering(ofItem: "token", attribute: "ld_preload") != nil)
    #expect(EnvironmentVariable.steering(ofItem: "PATH", attribute: "no variable") == "PATH")
  }
}
