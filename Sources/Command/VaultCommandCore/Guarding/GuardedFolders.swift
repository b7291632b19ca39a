import CVaultLinux
import Glibc
import VaultCredentials
package import VaultStorage
import VaultTerminal

/// What a command behind the wall sees of the home and of other places: the working folder, and what
/// the line names.
///
/// A folder is opened, and judged by the path that the kernel has for what was opened: neither `..`
/// nor a link leads past that, and what is bound later is what was judged.
package struct GuardedFolders {
  /// A folder or file that is shown.
  package struct Shown {
    /// Its path, without a link in it.
    let path: String
    /// A descriptor of it: open(2), `O_PATH`.
    let descriptor: Int32
    let isWritable: Bool
  }

  /// In the order in which they are bound: what lies deeper comes later.
  package let all: [Shown]
  /// The working folder.
  package let working: String

  /// Opens and judges the working folder and what is named.
  ///
  /// - Parameters:
  ///   - writable: The names of `--rw`.
  ///   - readable: The names of `--ro`.
  ///   - places: What must not be shown.
  /// - Throws: ``CommandError`` with code `.fileNotFound` or `.notAllowed`.
  package init(writable: [String], readable: [String], places: GuardPlaces) throws {
    let current = try Self.open(".", isWritable: true)
    try places.checkWorkingFolder(current.path)
    working = current.path
    var shown = [current]
    for (names, isWritable) in [(writable, true), (readable, false)] {
      for name in names {
        let one = try Self.open(name, isWritable: isWritable)
        try places.check(one.path, as: name, isWritable: isWritable)
        shown.removeAll { $0.path == one.path }
        shown.append(one)
      }
    }
    all = shown.sorted { $0.path.utf8.count < $1.path.utf8.count }
  }

  private static func open(_ name: String, isWritable: Bool) throws -> Shown {
    do {
      let descriptor = try System.open(name, in: AT_FDCWD, flags: cvaultPath)
      guard let bytes = System.linkTarget("/proc/self/fd/\(descriptor)"),
        let path = String(validating: bytes, as: UTF8.self), path.utf8.first == 0x2F
      else { throw System.Failure(errno: ENOENT) }
      let status = try System.status(descriptor)
      guard status.isDirectory || status.isRegular else {
        throw CommandError(
          .notAllowed, "'\(name)' is neither a folder nor a file",
          hint: "sockets and devices stay outside: name a folder")
      }
      return Shown(path: path, descriptor: descriptor, isWritable: isWritable)
    } catch let failure as System.Failure {
      throw CommandError(
        .fileNotFound, "'\(name)' cannot be shown to the command: \(failure.reason)",
        hint: "name a folder that is there")
    }
  }
}

/// What a command behind the wall must not be shown, whatever the line names.
package struct GuardPlaces {
  /// The homes of this user, without links.
  let homes: [String]
  /// Files and folders with secrets that are there, without links, and what they are.
  let secrets: [(path: String, words: String)]
  /// The file of this command.
  let command: String

  /// What lies in a home, and holds what opens something else.
  private static let inHome: [(path: String, words: String)] = [
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
  ]

  /// Below these nothing is shown: processes, devices, sockets.
  private static let never = ["/proc", "/sys", "/dev", "/run", "/var/run"]
  /// Themselves they are too much.
  private static let tooMuch = [
    "/home", "/tmp", "/var/tmp", "/dev/shm", "/var", "/mnt", "/media", "/srv", "/opt",
    "/usr/local",
  ]
  /// What is written here, the user's other programs run.
  private static let system = [
    "/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot",
  ]

  /// The places of this user.
  ///
  /// - Parameter location: Where the vault is.
  /// - Throws: `StorageError` with code `.noLocation` without a home.
  package init(location: StoreLocation) throws {
    let homes = try [StoreLocation.home(), StoreLocation.home { _ in nil }]
    self.homes = Set(homes.compactMap(Self.real)).sorted()
    var secrets: [(path: String, words: String)] = [
      (location.data, "the vault"), (location.state, "the vault's state"),
      (try StoreLocation().data, "the vault"), (try StoreLocation().state, "the vault's state"),
    ]
    for variable in ["XDG_RUNTIME_DIR", "GNUPGHOME", "PASSWORD_STORE_DIR"] {
      if let folder = ProcessState.variable(variable) { secrets.append((folder, "$\(variable)")) }
    }
    for variable in [EnvironmentNames.keyFile, EnvironmentNames.passphraseFile] {
      if let file = ProcessState.variable(variable) { secrets.append((file, "$\(variable)")) }
    }
    for home in homes { secrets += Self.inHome.map { ("\(home)/\($0.path)", $0.words) } }
    // Where a link leads counts, and so does the place of the link.
    self.secrets = secrets.flatMap { secret in
      [Self.real(secret.path), Self.realParent(secret.path)].compactMap(\.self)
        .map { ($0, secret.words) }
    }
    command = HelperProgram.ownFile
  }

  init(homes: [String], secrets: [(path: String, words: String)], command: String) {
    (self.homes, self.secrets, self.command) = (homes, secrets, command)
  }

  /// A path without links; `nil` if nothing is there.
  private static func real(_ path: String) -> String? {
    guard let file = try? System.open(path, in: AT_FDCWD, flags: cvaultPath) else { return nil }
    defer { System.close(file) }
    return System.linkTarget("/proc/self/fd/\(file)").map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path of something that is there, whose folders have no links, while it may be one.
  private static func realParent(_ path: String) -> String? {
    guard UserFile.exists(path, followingLinks: false) else { return nil }
    let folder = HelperProgram.parent(of: path)
    return real(folder.isEmpty ? "/" : folder).map {
      "\($0.utf8.count == 1 ? "" : $0)/\(path.lastComponent)"
    }
  }

  /// Options that hide what must not be shown and lies in folders of the system.
  func hidden(within folders: [String]) -> [String] {
    (homes + secrets.map(\.path)).filter { path in
      folders.contains { $0 != path && Self.holds($0, path) }
    }.flatMap { GuardSystem.emptied($0, isFolder: UserFile.isFolder($0)) }
  }

  func checkWorkingFolder(_ path: String) throws {
    for home in homes where Self.holds(path, home) {
      throw CommandError(
        .notAllowed, "the working folder is the home or holds it, and the command may write there",
        hint: "change to the folder of the project first: cd PROJECT")
    }
    try check(path, as: path, isWritable: true)
  }

  /// Refuses a path, without links, that was named.
  func check(_ path: String, as name: String, isWritable: Bool) throws {
    func refuse(_ why: String, _ hint: String) throws -> Never {
      throw CommandError(.notAllowed, "'\(name)' \(why)", hint: hint)
    }
    let below = "name a folder that is less: the project's own"
    for home in homes where Self.holds(path, home) {
      try refuse("is the home or holds it", below)
    }
    for secret in secrets where Self.holds(path, secret.path) || Self.holds(secret.path, path) {
      try refuse("would show the command \(secret.words)", below)
    }
    guard path != "/", !Self.tooMuch.contains(path) else {
      try refuse("is more than one project", below)
    }
    for folder in Self.never where Self.holds(folder, path) && !Self.holds("/dev/shm", path) {
      try refuse("has devices, processes or sockets of the machine", below)
    }
    guard isWritable else { return }
    for folder in Self.system where Self.holds(folder, path) {
      try refuse("belongs to the system, and other programs run what is there", "use --ro")
    }
    guard !Self.holds(path, command) else {
      try refuse("holds this command, which could be replaced", "use --ro, or an installed command")
    }
  }

  /// Whether a folder is a path, or holds it.
  static func holds(_ folder: String, _ path: String) -> Bool {
    folder == "/" || path.utf8.elementsEqual(folder.utf8)
      || path.utf8.starts(with: "\(folder)/".utf8)
  }
}

/// open(2), `O_PATH`.
private let cvaultPath = cvault_o_path
