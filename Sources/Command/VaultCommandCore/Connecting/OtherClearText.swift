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
        ".kube/config",
        "\(program) set kubeconfig --file ~/.kube/config, then: \(program) run --as-file kubeconfig "
          + "-- sh -c 'KUBECONFIG=$KUBECONFIG_FILE kubectl get pods'"),
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
        "s3cmd takes AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: \(program) run -- s3cmd",
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
        ".wgetrc", "\(program) inject a file, and give it by: wget --config=FILE",
        ["password", "header"]),
      Place(
        ".gitconfig", "take it out, and: \(program) connect git",
        ["extraheader", "token", "password", "://"]),
      Place(
        ".config/git/config", "take it out, and: \(program) connect git",
        ["extraheader", "token", "password", "://"]),
    ]
  }()

  /// Those that are there, and hold something.
  package static func found() -> [(path: String, hint: String)] {
    guard let home = ProcessState.variable("HOME"), home.begins(with: "/") else { return [] }
    return places.filter { place in
      let path = "\(home)/\(place.path)"
      guard UserFile.exists(path) else { return false }
      guard let signs = place.signs ?? (place.path == ".env" ? [] : nil),
        let text = try? ConfigurationFile(path: path).text()
      else { return true }
      return ConfigurationFile.lines(of: text).contains { isDoubtful($0, signs) }
    }
    .map { ("\(home)/\($0.path)", $0.hint) }
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
      sign == "://" ? ClearTextProgram.hasPasswordInAddress(line) : line.contains(bytes: sign)
    }
  }
}
