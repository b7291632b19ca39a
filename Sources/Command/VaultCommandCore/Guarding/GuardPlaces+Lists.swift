import VaultStorage
import VaultTerminal

/// The places that are known by their names.
extension GuardPlaces {
  /// What lies in a home, and holds what opens something else.
  static let inHome: [(path: String, words: String)] = [
    (".ssh", "keys of ssh"), (".gnupg", "keys of gpg"), (".aws", "keys of AWS"),
    (".azure", "tokens of Azure"), (".config/gcloud", "tokens of Google Cloud"),
    (".kube", "tokens of kubectl"), (".docker", "logins of docker"),
    (".local/share/keyrings", "the keyring"), (".local/share/kwalletd", "the keyring"),
    (".password-store", "passwords"), (".git-credentials", "passwords of git"),
    (".config/git/credentials", "passwords of git"), (".netrc", "passwords"),
    (".npmrc", "tokens of npm"), (".yarnrc.yml", "tokens of yarn"), (".pypirc", "tokens of PyPI"),
    (".pgpass", "passwords of PostgreSQL"), (".my.cnf", "passwords of MySQL"),
    (".config/gh", "tokens of GitHub"), (".config/hub", "tokens of GitHub"),
    (".config/glab-cli", "tokens of GitLab"), (".config/rclone", "logins of rclone"),
    (".config/op", "1Password"), (".config/Bitwarden CLI", "Bitwarden"),
    (".vault-token", "a token of HashiCorp's vault"), (".cargo/credentials", "tokens of cargo"),
    (".cargo/credentials.toml", "tokens of cargo"), (".gem/credentials", "tokens of gem"),
    (".terraform.d", "tokens of Terraform"), (".m2/settings.xml", "passwords of Maven"),
    (".mozilla", "passwords and cookies of Firefox"),
    (".thunderbird", "passwords of Thunderbird"), (".config/google-chrome", "cookies of Chrome"),
    (".config/chromium", "cookies of Chromium"), (".config/BraveSoftware", "cookies of Brave"),
    (".bash_history", "lines that were typed"), (".zsh_history", "lines that were typed"),
    (".local/share/fish", "lines that were typed"), (".python_history", "lines that were typed"),
    (".node_repl_history", "lines that were typed"), (".psql_history", "lines that were typed"),
    (".mysql_history", "lines that were typed"), (".sqlite_history", "lines that were typed"),
    (".config/sops/age", "keys of age"), (".config/age", "keys of age"),
    (".config/containers/auth.json", "logins of podman"), (".config/pip", "logins of pip"),
    (".pip", "logins of pip"), (".config/pypoetry", "tokens of poetry"),
    (".gradle/gradle.properties", "passwords of Gradle"),
    (".composer/auth.json", "tokens of composer"),
    (".config/composer/auth.json", "tokens of composer"), (".s3cfg", "keys of s3cmd"),
    (".boto", "keys of gsutil"), (".config/helm", "logins of helm"),
    (".cache/git/credential", "passwords that git keeps"),
    (".git-credential-cache", "passwords that git keeps"), ("snap", "data of programs"),
    (".var/app", "data of programs"), (".pki", "keys of certificates"),
    (".terraformrc", "tokens of Terraform"), (".msmtprc", "passwords of mail"),
    (".config/msmtp", "passwords of mail"), (".mbsyncrc", "passwords of mail"),
    (".config/isyncrc", "passwords of mail"), (".authinfo", "passwords"), ("_netrc", "passwords"),
    (".config/gopass", "passwords"), (".local/share/gopass", "passwords"),
    (".config/rbw", "Bitwarden"), (".local/share/rbw", "Bitwarden"),
    (".subversion/auth", "passwords of Subversion"), (".config/borg", "keys of borg"),
    (".config/restic", "passwords of restic"), (".codex", "logins of a coding agent"),
    (".gemini", "logins of a coding agent"),
    (".config/github-copilot", "logins of a coding agent"),
    (".nomad-token", "a token of Nomad"), (".consul-token", "a token of Consul"),
    (".rediscli_history", "lines that were typed"), (".ipython", "lines that were typed"),
    (".viminfo", "texts that were copied"), (".local/share/nvim/shada", "texts that were copied"),
    (".local/state/nvim", "texts that were copied"), (".lesshst", "lines that were typed"),
    (".Xauthority", "the key of the display"), (".ICEauthority", "the key of the session"),
    (".vnc", "passwords of VNC"), (".smbcredentials", "passwords of shares"),
    (".davfs2", "passwords of shares"), (".config/filezilla", "passwords of FileZilla"),
    (".remmina", "passwords of Remmina"), (".local/share/remmina", "passwords of Remmina"),
    (".kaggle", "tokens of Kaggle"), (".huggingface", "tokens of Hugging Face"),
    (".cache/huggingface/token", "tokens of Hugging Face"), (".oci", "keys of Oracle Cloud"),
    (".aliyun", "keys of Alibaba Cloud"), (".databrickscfg", "tokens of Databricks"),
    (".snowflake", "logins of Snowflake"), (".pulumi", "tokens of Pulumi"),
    (".fly", "tokens of Fly.io"), (".config/doctl", "tokens of DigitalOcean"),
    (".config/heroku", "tokens of Heroku"), (".config/netlify", "tokens of Netlify"),
    (".netlify", "tokens of Netlify"), (".wrangler", "tokens of Cloudflare"),
    (".config/.wrangler", "tokens of Cloudflare"), (".cloudflared", "keys of Cloudflare"),
    (".step", "keys of certificates"), (".tsh", "keys of Teleport"),
    (".minikube", "keys of minikube"),
    (".electrum", "a wallet"), (".bitcoin", "a wallet"), (".ethereum", "a wallet"),
    (".config/solana", "a wallet"), (".monero", "a wallet"),
  ]

  /// What in a home is run or followed outside of the wall: by the next shell, login or session.
  static let run: [(path: String, words: String)] =
    [
      ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
      ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".inputrc", ".xprofile", ".xinitrc",
      ".xsession", ".xsessionrc", ".pam_environment", ".config/fish", ".config/bash", ".config/zsh",
      ".config/environment.d", ".config/autostart", ".config/autostart-scripts",
      ".config/plasma-workspace", ".config/systemd", ".local/share/systemd",
      ".local/share/applications", ".local/share/dbus-1", ".config/mimeapps.list",
      ".config/nushell", ".config/xonsh", ".config/elvish", ".config/powershell", ".oh-my-zsh",
      ".config/user-tmpfiles.d", ".xmonad", ".config/xmonad", ".config/i3", ".config/sway",
      ".config/hypr", ".config/awesome", ".config/openbox", ".config/bspwm", ".config/river",
      ".local/share/gnome-shell", ".local/share/nautilus", ".local/share/thumbnailers",
      ".local/share/kio", ".local/share/plasma", ".ipython", ".nvm", ".asdf", ".pyenv", ".rbenv",
      ".sdkman", ".fzf",
    ].map { ($0, "start files") }
    + [
      ".gitconfig", ".config/git", ".vimrc", ".vim", ".config/nvim", ".emacs", ".emacs.d",
      ".config/emacs", ".tmux.conf", ".config/tmux", ".screenrc", ".direnvrc", ".config/direnv",
      ".config/vault",
    ].map { ($0, "settings of programs") }
    // Each Python reads its .pth files and usercustomize.
    + [".local/bin", ".local/lib", "bin"].map { ($0, "programs") }

  /// Folders that another one takes the place of: XDG Base Directory Specification.
  static let moved = [
    ("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"), ("CARGO_HOME", ".cargo"), ("GRADLE_USER_HOME", ".gradle"),
    ("COMPOSER_HOME", ".composer"),
  ]

  /// What of these lies in folders that the environment has moved, there.
  static func elsewhere(_ usual: [(path: String, words: String)]) -> [(path: String, words: String)]
  {
    moved.flatMap { variable, folder in
      guard let place = ProcessState.variable(variable), place.utf8.first == 0x2F else {
        return [(path: String, words: String)]()
      }
      let start = "\(folder)/"
      return usual.filter { $0.path.begins(with: start) }.map { one in
        let rest = String(one.path.unicodeScalars.dropFirst(start.unicodeScalars.count))
        return ("\(place)/\(rest)", one.words)
      }
    }
  }

  /// Variables whose value is a file or folder with secrets; of a list, its parts.
  private static let variables = [
    "XDG_RUNTIME_DIR", "GNUPGHOME", "PASSWORD_STORE_DIR", "CREDENTIALS_DIRECTORY", "KUBECONFIG",
    "DOCKER_CONFIG",
    "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "GH_CONFIG_DIR", "GLAB_CONFIG_DIR",
    "SOPS_AGE_KEY_FILE", "NETRC", "PGPASSFILE", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE",
    "POETRY_CONFIG_DIR", "REGISTRY_AUTH_FILE", "RCLONE_CONFIG", "CLOUDSDK_CONFIG",
    "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CONFIG_DIR", "HELM_REGISTRY_CONFIG",
    "TF_CLI_CONFIG_FILE",
    "HISTFILE", "PYTHON_HISTORY", "PSQL_HISTORY", "MYSQL_HISTFILE",
  ]

  /// The secrets that the environment names.
  static func named(by environment: (String) -> String?) -> [(path: String, words: String)] {
    variables.flatMap { variable in
      (environment(variable) ?? "").parts(at: ":").filter { $0.utf8.first == 0x2F }
        .map { (String($0), "$\(variable)") }
    }
  }
}
