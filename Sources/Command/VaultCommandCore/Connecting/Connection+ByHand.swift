import VaultProtocols

extension Connection {
  /// Returns the changes that connect the program; none if it is connected.
  package func connecting() throws -> [Change] {
    do {
      return try changesToConnect()
    } catch let error as ProtocolError where error.code == .invalidRequest && error.remedy == nil {
      // A path or a name that the program's file cannot have.
      throw CommandError.usage(
        error.message,
        hint: program == .ssh
          ? "set XDG_RUNTIME_DIR to a path without it, such as /run/user/UID"
          : "keep the vault, its key file and this command at paths without it")
    }
  }

  /// What sets up programs that have no settings to change: Documentation/helpers.md.
  static let linesByHand = [
    "ssh-add": "export SSH_ASKPASS=vault-askpass SSH_ASKPASS_REQUIRE=force",
    "ssh-keygen": "export SSH_ASKPASS=vault-askpass SSH_ASKPASS_REQUIRE=force",
    "sudo": "export SUDO_ASKPASS=\"$(command -v vault-askpass)\", then: sudo -A COMMAND",
    "twine":
      "\(ProgramName.current) run --env TWINE_PASSWORD=ITEM -- twine upload -u __token__ dist/*",
    "npm":
      "\(ProgramName.current) run --env NPM_TOKEN=ITEM -- npm publish, with ${NPM_TOKEN} in .npmrc",
    "cargo": "\(ProgramName.current) run --env CARGO_REGISTRY_TOKEN=ITEM -- cargo publish",
    "curl": "echo 'machine HOST login USER password {{ secret://ITEM?encoding=netrc }}' | "
      + "\(ProgramName.current) inject | curl --netrc-file /dev/stdin URL",
    "all":
      "one by one, such as: \(ProgramName.current) connect git; what is in plain text in the home: "
      + "\(ProgramName.current) import home",
    "gh": "\(ProgramName.current) run --env GH_TOKEN=ITEM -- gh",
    "psql": "\(ProgramName.current) run --env PGPASSWORD=ITEM -- psql",
    "mysql":
      "\(ProgramName.current) inject --in my.cnf.tpl --out my.cnf, with 'password = "
      + "{{ secret://ITEM?encoding=ini }}' in it; then: mysql --defaults-file=my.cnf",
    "restic": "restic --password-command '\(ProgramName.current) get ITEM'",
    "rclone": "rclone --password-command '\(ProgramName.current) get ITEM'",
    "borg": "export BORG_PASSCOMMAND='\(ProgramName.current) get ITEM'",
    "ansible":
      "a script that prints it, for --vault-password-file: exec \(ProgramName.current) get ITEM",
    "direnv": "in .envrc: export API=\"$(\(ProgramName.current) get ITEM)\"",
    "make": "\(ProgramName.current) run --env API=ITEM -- make",
    "maven": "\(ProgramName.current) run --env NAME=ITEM -- mvn, with ${env.NAME} in settings.xml",
    "gradle":
      "\(ProgramName.current) run --env ORG_GRADLE_PROJECT_name=ITEM -- gradle",
    "gpg":
      "\(ProgramName.current) get ITEM | gpg --batch --pinentry-mode loopback --passphrase-fd 0",
    "systemd":
      "\(ProgramName.current) export systemd FOLDER/, or as a credential: Documentation/servers.md",
    "wget": "wget --use-askpass=vault-askpass URL",
    "svn":
      "\(ProgramName.current) get ITEM | svn --non-interactive --username USER --password-from-stdin",
    "lftp":
      "\(ProgramName.current) run --env LFTP_PASSWORD=ITEM -- lftp --env-password -u USER HOST",
    "s3cmd":
      "\(ProgramName.current) run --env AWS_ACCESS_KEY_ID=ID --env AWS_SECRET_ACCESS_KEY=ITEM -- s3cmd",
    "ssh-agent":
      "keys are served from the vault: \(ProgramName.current) connect ssh; for one command: "
      + "\(ProgramName.current) ssh-agent -- COMMAND",
    "terraform": "\(ProgramName.current) run --env TF_VAR_NAME=ITEM -- terraform apply",
  ]
}
