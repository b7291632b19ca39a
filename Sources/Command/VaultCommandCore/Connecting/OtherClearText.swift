import Glibc
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Files with secrets in plain text that are known and not moved, with what to do about them.
package enum OtherClearText {
  private struct Place {
    let path: String
    let hint: String
    /// What a line has that holds a secret; `nil` where the file is there for nothing else.
    var signs: [String]?

    init(_ path: String, _ hint: String, _ signs: [String]? = nil) {
      (self.path, self.hint, self.signs) = (path, hint, signs)
    }
  }

  private static let places: [Place] = {
    let program = ProgramName.current
    let index = "take the password out of the address, and: \(program) connect pip"
    return [
      Place(".env", "\(program) import dotenv ~/.env --references ~/.env"),
      Place(
        ".my.cnf",
        "\(program) set mycnf --file ~/.my.cnf, then: \(program) run --as-file mycnf "
          + "-- sh -c 'mysql --defaults-file=$MYCNF_FILE'"),
      Place(".config/rclone/rclone.conf", "rclone config, Set configuration password"),
      Place(
        ".terraform.d/credentials.tfrc.json",
        "\(program) run --env TF_TOKEN_app_terraform_io=ITEM -- terraform"),
      Place(
        ".terraformrc", "\(program) run --env TF_TOKEN_app_terraform_io=ITEM -- terraform",
        ["token"]),
      Place(
        ".m2/settings.xml", "maven reads ${env.NAME} there: \(program) run --env NAME=ITEM -- mvn"),
      Place(".gem/credentials", "\(program) run --env GEM_HOST_API_KEY=ITEM -- gem push"),
      Place(
        ".config/composer/auth.json",
        "\(program) run --env COMPOSER_AUTH=ITEM -- composer, with the file as its secret"),
      Place(
        ".yarnrc.yml", "\(program) run --env YARN_NPM_AUTH_TOKEN=ITEM -- yarn", ["npmAuthToken"]),
      Place(
        ".gradle/gradle.properties",
        "gradle takes ORG_GRADLE_PROJECT_name: \(program) run --env ORG_GRADLE_PROJECT_name=ITEM -- gradle",
        ["assword", "oken", "ecret"]),
      Place(
        ".nuget/NuGet/NuGet.Config",
        "%NAME% is read from the environment there: \(program) run --env NAME=ITEM -- dotnet restore",
        ["ClearTextPassword"]),
      Place(
        ".config/helm/registry/config.json", "helm registry logout HOST, when it is not used",
        ["\"auth\""]),
      Place(
        ".config/glab-cli/config.yml", "\(program) run --env GITLAB_TOKEN=ITEM -- glab", ["token:"]),
      Place(".cache/huggingface/token", "\(program) run --env HF_TOKEN=ITEM -- COMMAND"),
      Place(
        ".config/pypoetry/auth.toml",
        "\(program) run --env POETRY_PYPI_TOKEN_NAME=ITEM -- poetry publish", ["password", "token"]),
      Place(".vault-token", "\(program) run --env VAULT_TOKEN=ITEM for HashiCorp's command"),
      Place(".config/hub", "\(program) run --env GITHUB_TOKEN=ITEM -- hub"),
      Place(
        ".config/gcloud/application_default_credentials.json", "gcloud's own; --as-file for others"),
      Place(".azure/msal_token_cache.json", "az account clear, when it is not used"),
      Place(
        ".config/sops/age/keys.txt",
        "SOPS_AGE_KEY by \(program) run --env SOPS_AGE_KEY=ITEM -- sops"),
      Place(
        ".s3cfg",
        "\(program) run --env AWS_ACCESS_KEY_ID=ID --env AWS_SECRET_ACCESS_KEY=ITEM -- s3cmd",
        ["secret_key", "access_token"]),
      Place(
        ".config/doctl/config.yaml",
        "\(program) run --env DIGITALOCEAN_ACCESS_TOKEN=ITEM -- doctl", ["access-token:"]),
      Place(
        ".ansible/vault_password",
        "a script that prints it: \(program) get ITEM, as --vault-password-file"),
      Place(
        ".vault_pass", "a script that prints it: \(program) get ITEM, as --vault-password-file"),
      Place(
        ".vault_pass.txt",
        "a script that prints it: \(program) get ITEM, as --vault-password-file"),
      Place(".config/pip/pip.conf", index, ["://"]), Place(".pip/pip.conf", index, ["://"]),
      Place(
        ".curlrc", "\(program) inject a file, and give it by: curl --config FILE",
        ["user", "oauth2-bearer", "header", "-u", "-h", "proxy"]),
      Place(
        ".pg_service.conf", "\(program) run --env PGPASSWORD=ITEM -- psql", ["password"]),
      Place(
        ".composer/auth.json",
        "\(program) run --env COMPOSER_AUTH=ITEM -- composer, with the file as its secret"),
      Place(
        ".tofurc", "\(program) run --env TF_TOKEN_app_terraform_io=ITEM -- tofu", ["token"]),
      Place(
        ".cargo/config.toml", "\(program) run --env CARGO_REGISTRY_TOKEN=ITEM -- cargo publish",
        ["token", "://"]),
      Place(".msmtprc", "passwordeval \"\(program) get ITEM\"", ["password "]),
      Place(".mbsyncrc", "PassCmd \"\(program) get ITEM\"", ["pass "]),
      Place(".fetchmailrc", "fetchmail asks for a password that is not there", ["password"]),
      Place(".boto", "\(program) run --env AWS_SECRET_ACCESS_KEY=ITEM -- COMMAND", ["secret"]),
      Place(
        ".sentryclirc", "\(program) run --env SENTRY_AUTH_TOKEN=ITEM -- sentry-cli", ["token"]),
      Place(
        ".kaggle/kaggle.json", "\(program) run --env KAGGLE_KEY=ITEM -- kaggle", ["\"key\""]),
      Place(
        ".wgetrc", "\(program) inject a file, and give it by: wget --config=FILE",
        ["password", "header"]),
      Place(
        ".authinfo", "auth-source-pass of Emacs reads a folder of pass: \(program) import pass",
        ["password"]),
      Place(
        ".gitconfig", "take it out, and: \(program) connect git",
        ["extraheader", "token", "password", "://"]),
      Place(
        ".config/git/config", "take it out, and: \(program) connect git",
        ["extraheader", "token", "password", "://"]),
    ]
  }()

  /// What a shell reads when it starts.
  private static let startFiles = [
    ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".config/fish/config.fish", ".bash_aliases", ".pam_environment",
  ]

  /// The files that a session of systemd or fish reads from folders.
  private static func startFiles(below home: String) -> [String] {
    let folders = [(".config/environment.d", ".conf"), (".config/fish/conf.d", ".fish")]
    return startFiles
      + folders.flatMap { folder, ending in
        ((try? UserFile.names(in: "\(home)/\(folder)")) ?? []).filter { $0.ends(with: ending) }
          .map { "\(folder)/\($0)" }
      }
  }

  /// Start files in which a variable is set that is a secret by its name.
  private static func startFilesWithSecrets(_ home: String) -> [(path: String, hint: String)] {
    startFiles(below: home).compactMap { name in
      let path = "\(home)/\(name)"
      guard UserFile.exists(path), let text = try? ConfigurationFile(path: path).text() else {
        return nil
      }
      let words = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "ACCESS_KEY", "PASSPHRASE"]
      let isSet = ConfigurationFile.lines(of: text).contains { line in
        guard let (name, value) = assignment(line.trimmingBlanks),
          words.contains(where: name.uppercased().ends(with:))
        else { return false }
        let rest = value.drop { "\"' ".contains($0) }
        // What a shell puts in is not there in plain text.
        return !rest.isEmpty && !["$", "`", "("].contains(where: rest.begins(with:))
      }
      return isSet
        ? (
          path,
          "take it out, and give it to the commands that need it: \(ProgramName.current) run ITEM -- COMMAND"
        )
        : nil
    }
  }

  /// The variable that a line sets, and what to: `export NAME=value`, or fish's `set -gx NAME value`.
  private static func assignment(_ line: String) -> (name: String, value: String)? {
    guard !line.begins(with: "#") else { return nil }
    let words = line.parts(at: " ").map(String.init)
    if words.first.map({ ["set", "setenv"].contains($0) }) ?? false {
      let operands = words.dropFirst().drop { $0.begins(with: "-") }
      guard let name = operands.first, !name.contains(bytes: "=") else { return nil }
      return (name, operands.dropFirst().joined(separator: " "))
    }
    guard let (front, value) = line.halves(at: "="), let name = front.parts(at: " ").last else {
      return nil
    }
    return (String(name), String(value))
  }

  /// Keys of ssh that nothing but the mode of their files protects.
  private static func openKeys(_ home: String) -> [(path: String, hint: String)] {
    let folder = "\(home)/.ssh"
    return ((try? UserFile.names(in: folder)) ?? []).sorted().prefix(200).compactMap { name in
      let path = "\(folder)/\(name)"
      guard !name.ends(with: ".pub"),
        let status = try? System.targetStatus(of: path, in: AT_FDCWD), status.isRegular,
        status.size < 64 << 10, let text = try? ConfigurationFile(path: path).text(),
        text.begins(with: "-----BEGIN "), text.contains(bytes: "PRIVATE KEY-----")
      else { return nil }
      // PROTOCOL.key of OpenSSH: its magic, then the cipher; `none` in base64.
      let isOpen =
        text.contains(bytes: "BEGIN OPENSSH")
        ? text.contains(bytes: "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU")
        : !text.contains(bytes: "ENCRYPTED")
      guard isOpen else { return nil }
      return (
        path,
        "it has no passphrase; into the vault, which serves it: \(ProgramName.current) ssh import NAME "
          + Quoting.shell(path)
      )
    }
  }

  /// Those that are there, and hold something.
  package static func found() -> [(path: String, hint: String)] {
    guard let home = StoreLocation.namedHome(ProcessState.variable) else { return [] }
    return filesFound(home) + startFilesWithSecrets(home) + openKeys(home) + copies()
  }

  /// What editors and people leave beside a file as its copy.
  private static let endingsOfCopies = [".bak", ".old", ".orig", ".save", "~"]

  /// Copies of the files that are moved: a move empties the file alone.
  private static func copies() -> [(path: String, hint: String)] {
    ClearTextProgram.allCases.flatMap { $0.paths { ProcessState.variable($0) } }
      .flatMap { copies(of: $0) }.map { ($0.path, "\($0.what); \($0.hint)") }
  }

  /// Copies beside a file.
  ///
  /// - Parameter path: The file, which need not be there any more.
  /// - Returns: Their paths, what they are, and what to do.
  static func copies(of path: String) -> [(path: String, what: String, hint: String)] {
    endingsOfCopies.map { path + $0 }.filter {
      (try? System.targetStatus(of: $0, in: AT_FDCWD)).map { $0.isRegular && $0.size > 0 } ?? false
    }
    .map { ($0, "a copy", "once it is of no use: shred -u \(Quoting.shell($0))") }
  }

  /// The files of ``places``, and those that a shell reads.
  static func paths(_ home: String) -> [String] {
    (places.map(\.path) + startFiles(below: home)).map { "\(home)/\($0)" }
  }

  private static func filesFound(_ home: String) -> [(path: String, hint: String)] {
    places.filter { place in
      let path = "\(home)/\(place.path)"
      guard UserFile.exists(path) else { return false }
      guard let signs = place.signs ?? (place.path == ".env" ? [] : nil),
        let text = try? ConfigurationFile(path: path).text()
      else { return true }
      // A file with references went through the import: what a person left there is no secret.
      let isDone = signs.isEmpty && text.contains(bytes: SecretReference.scheme)
      return ConfigurationFile.lines(of: text).contains {
        isDone ? looksSecret($0) : isDoubtful($0, signs)
      }
    }
    .map { ("\(home)/\($0.path)", $0.hint) }
  }

  /// Whether a line of `.env` sets what the import takes for a secret, and is no reference.
  private static func looksSecret(_ line: String) -> Bool {
    let line = line.trimmingBlanks
    guard !line.begins(with: "#"), let (name, value) = line.halves(at: "=") else { return false }
    let bare = value.trimmingBlanks.drop { "\"'".contains($0) }.prefix { !"\"'".contains($0) }
    return !bare.contains(bytes: SecretReference.scheme)
      && SecretGuess.looksSecret(String(name), String(bare))
  }

  /// Whether a line sets one of some words to something, or has a password in an address.
  private static func isDoubtful(_ line: String, _ signs: [String]) -> Bool {
    let line = line.trimmingBlanks.lowercased()
    guard !line.begins(with: "#"), !line.begins(with: ";"), !line.isEmpty else { return false }
    // Of `.env` each value counts that is no reference.
    if signs.isEmpty {
      guard let value = line.halves(at: "=")?.after.trimmingBlanks else { return false }
      return !value.isEmpty && !value.contains(bytes: SecretReference.scheme)
    }
    return signs.contains { sign in
      sign == "://"
        ? ClearTextProgram.hasPasswordInAddress(line) : line.contains(bytes: sign.lowercased())
    }
  }
}
