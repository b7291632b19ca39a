import CVaultLinux
import Glibc
import VaultCredentials
import VaultProtocols
package import VaultStorage
import VaultTerminal

/// What a command behind the wall must not be shown, whatever the line names.
package struct GuardPlaces {
  /// The homes of this user, without links.
  let homes: [String]
  /// Files and folders with secrets that are there, without links, and what they are.
  let secrets: [(path: String, words: String)]
  /// What is run later, outside: it must not be written, and some of it need not be there yet.
  let starts: [(path: String, words: String)]
  /// This command's own files and links, and where its helper is looked for.
  let programs: [String]
  /// The folders in which programs are looked for, without links.
  let searched: [String]

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
  /// - Parameters:
  ///   - location: Where the vault is.
  ///   - keys: The files of a key or a passphrase that the line names.
  /// - Throws: `StorageError` with code `.noLocation` without a home.
  package init(location: StoreLocation, keys: [String]) throws {
    // Of a user whom no database knows, as in a container, there is no other home.
    let homes =
      try [StoreLocation.home()] + [try? StoreLocation.home { _ in nil }].compactMap(\.self)
    self.homes = Set(homes.compactMap(Self.real)).sorted()
    var secrets: [(path: String, words: String)] = [
      (location.data, "the vault"), (location.state, "the vault's state"),
      (try StoreLocation().data, "the vault"), (try StoreLocation().state, "the vault's state"),
    ]
    secrets += keys.map { ($0, "a key of the vault") }
    for variable in [EnvironmentNames.keyFile, EnvironmentNames.passphraseFile] {
      if let file = ProcessState.variable(variable) { secrets.append((file, "$\(variable)")) }
    }
    secrets += Self.named(by: ProcessState.variable)
    for home in homes { secrets += Self.inHome.map { ("\(home)/\($0.path)", $0.words) } }
    secrets += Self.elsewhere(Self.inHome)
    // Where a link leads counts, and so does the place of the link.
    self.secrets = secrets.flatMap { secret in
      Self.both(secret.path).map { ($0, secret.words) }
    }
    var starts = Self.elsewhere(Self.run)
    for home in homes { starts += Self.run.map { ("\(home)/\($0.path)", $0.words) } }
    self.starts = starts.flatMap { start in
      (Self.both(start.path) + [Self.made(start.path)]).map { ($0, start.words) }
    }
    let path = (ProcessState.variable("PATH") ?? "").parts(at: ":").map { String($0) }
      .filter { $0.utf8.first == 0x2F }
    searched = Set(path.compactMap(Self.real)).subtracting(["/"]).sorted()
    let names =
      [ProgramName.current]
      + CredentialProtocol.links(command: ProgramName.current).map(\.name)
    let links = path.flatMap { folder in names.map { "\(folder)/\($0)" } }
    programs =
      ([HelperProgram.ownFile] + links).flatMap(Self.both)
      + HelperProgram.places.flatMap { Self.both($0) + [Self.made($0)] }
  }

  /// A path without links, and that of the link itself.
  private static func both(_ path: String) -> [String] {
    [real(path), realParent(path)].compactMap(\.self)
  }

  /// The path of something that need not be there, below the nearest folder that is.
  private static func made(_ path: String) -> String {
    var (folder, rest) = (path, "")
    while !folder.isEmpty {
      if let real = real(folder) { return (real.utf8.count == 1 ? "" : real) + rest }
      rest = "/\(folder.lastComponent)\(rest)"
      folder = HelperProgram.parent(of: folder)
    }
    return path
  }

  /// A path without links; `nil` if nothing is there.
  private static func real(_ path: String) -> String? {
    guard let file = try? System.open(path, in: AT_FDCWD, flags: cvault_o_path) else { return nil }
    defer { System.close(file) }
    return System.linkTarget("/proc/self/fd/\(file)").map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path of something that is there, whose folders have no links, while it may be one.
  private static func realParent(_ path: String) -> String? {
    guard UserFile.exists(path, followingLinks: false) else { return nil }
    let folder = HelperProgram.parent(of: path)
    return real(folder.isEmpty ? (path.utf8.first == 0x2F ? "/" : ".") : folder).map {
      "\($0.utf8.count == 1 ? "" : $0)/\(path.lastComponent)"
    }
  }

  /// Options that hide what must not be shown and lies in folders of the system.
  func hidden(within folders: [String]) -> [String] {
    (homes + secrets.map(\.path)).filter { path in
      folders.contains { !Self.isSame($0, path) && Self.holds($0, path) }
    }.flatMap { GuardSystem.emptied($0, isFolder: UserFile.isFolder($0)) }
  }

  func checkWorkingFolder(_ path: String) throws {
    for home in homes where Self.holds(path, home) {
      throw CommandError(
        .notAllowed, "the working folder is the home or holds it, and the command may write there",
        hint: "change to the folder of the project first: cd PROJECT")
    }
    try check(path, as: path, isWritable: true, isWorking: true)
  }

  /// The folders of PATH that the working folder holds: what is written there is run outside.
  package func searched(within folder: String) -> [String] {
    searched.filter { Self.holds(folder, $0) }
  }

  /// Refuses a path, without links, that was named.
  func check(
    _ path: String, as name: String, isWritable: Bool, isWorking: Bool = false
  ) throws {
    func refuse(_ why: String, _ hint: String) throws -> Never {
      throw CommandError(.notAllowed, "'\(name)' \(why)", hint: hint)
    }
    let below = "name a folder that is less: the project's own"
    let other = isWorking ? "change to the folder of a project first" : "use --ro, or name less"
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
      try refuse(
        "belongs to the system, and other programs run what is there",
        isWorking ? other : "use --ro")
    }
    guard !programs.contains(where: { Self.holds(path, $0) }) else {
      try refuse("holds this command, which could be replaced", "use --ro, or an installed command")
    }
    for start in starts where Self.holds(path, start.path) || Self.holds(start.path, path) {
      try refuse("has \(start.words), which run outside of the wall", other)
    }
    // A project has programs of its own in PATH; of those the guide warns.
    for folder in searched
    where Self.holds(folder, path) || !isWorking && Self.holds(path, folder) {
      try refuse("has programs of PATH, which run outside of the wall", other)
    }
  }

  /// Whether two paths are the same bytes, as the kernel compares them.
  static func isSame(_ path: String, _ other: String) -> Bool {
    path.utf8.elementsEqual(other.utf8)
  }

  /// Whether a folder is a path, or holds it.
  static func holds(_ folder: String, _ path: String) -> Bool {
    folder == "/" || isSame(folder, path)
      || path.utf8.starts(with: "\(folder)/".utf8)
  }
}
