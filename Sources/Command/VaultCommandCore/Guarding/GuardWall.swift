import CVaultLinux
import Glibc
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The wall around a command: what it sees, what it gets, and how it starts.
package struct GuardWall {
  /// Where what belongs to the wall lies inside.
  private static let inside = "/run/vault-guard"
  private static let links = "\(inside)/bin"
  private static let socket = "\(inside)/socket"
  private static let agent = "\(inside)/ssh"
  /// More is nobody's list of hosts.
  private static let maximumHosts = 4 << 20

  /// Variables that a command gets as they are.
  private static let plainVariables: Set<String> = [
    "TERM", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME", "SHELL", "COLORTERM", "NO_COLOR", "EDITOR",
  ]

  private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  let folders: GuardedFolders
  private let places: GuardPlaces
  /// The socket of the one that answers; `nil` where nothing is let out.
  package var socket: String?
  /// Whether keys of ssh sign inside: beside the socket is that of their agent.
  package var hasAgent = false
  /// Whether pip and uv get passwords.
  package var hasKeyring = false
  /// The profiles of AWS that are let out.
  package var profiles: [String] = []
  /// Whether the network stays as it is.
  package var hasNetwork = true
  /// Further variables that it gets.
  private let variables: Set<String>
  private let home: String

  /// A wall.
  ///
  /// - Parameters:
  ///   - folders: What it shows.
  ///   - places: What it does not show.
  ///   - variables: The names of `--env`.
  /// - Throws: ``CommandError`` with code `.usage` or `.notAllowed`; `StorageError` with code
  ///   `.noLocation`.
  package init(
    _ folders: GuardedFolders, without places: GuardPlaces, variables: [String]
  ) throws {
    (self.folders, self.places) = (folders, places)
    let home = try StoreLocation.home()
    self.home = home.isEmpty ? "/root" : home
    for name in variables {
      guard !name.isEmpty, !name.unicodeScalars.contains("="), ProcessState.hasVariable(name)
      else {
        throw CommandError.usage(
          "the variable '\(Sanitizer.visible(name))' is not set",
          hint: "--env takes the name of a variable of this environment")
      }
      let isVaults = EnvironmentNames.all.contains(name) && name != EnvironmentNames.reason
      guard !isVaults, !PrivateVariables.all.contains(name) else {
        throw CommandError(
          .notAllowed, "\(name) leads to the vault, and stays outside",
          hint: "let an item out by name: --only NAME")
      }
    }
    self.variables = Set(variables)
    // What is open as a folder leads out of the wall: openat(2) with `..`.
    for stream: Int32 in [0, 1, 2] where (try? System.status(stream).isDirectory) == true {
      throw CommandError(
        .notAllowed, "stdin, stdout or stderr is a folder, which would lead out of the wall",
        hint: "use a file, a pipe or /dev/null")
    }
  }

  /// Runs the command behind the wall in place of this process.
  ///
  /// - Parameters:
  ///   - command: The command, byte for byte.
  ///   - program: What builds the wall.
  /// - Throws: ``CommandError`` with code `.guardUnavailable`; `TerminalError` if it could not be
  ///   started.
  package func replaceProcess(_ command: [[UInt8]], by program: Bubblewrap) throws -> Never {
    guard let filter = SystemCallFilter.program else {
      throw CommandError(.guardUnavailable, "there is no filter of system calls")
    }
    let filterFile = try SealedMemoryFile.make(SecretBytes(copying: filter))
    var passed = folders.all.map(\.descriptor) + [filterFile]
    var files: [(path: String, file: Int32)] = []
    for (path, text) in configuration {
      let file = try SealedMemoryFile.make(SecretBytes(text: text))
      files.append((path, file))
      passed.append(file)
    }
    let options = arguments(filter: filterFile, files: files)
    let list: [UInt8] = options.reduce(into: []) { $0 += Array($1.utf8) + [0] }
    let listFile = try SealedMemoryFile.make(SecretBytes(copying: list))
    passed.append(listFile)
    let values = try environment()
    let variables = variables
    ProcessIsolation.leaveSessionKeyring()
    ProcessIsolation.keepDescriptors(passed)
    // Also without a network: signals stay inside.
    guard ProcessIsolation.scope() || !hasNetwork else {
      throw CommandError(.guardUnavailable, "the kernel has not closed the way to abstract sockets")
    }
    // The shell says "not found" by the statuses that shells have, and takes core files away.
    let line = [program.path, "--args", String(listFile), "--", "/bin/sh", "-c"]
    var execution = Execution(
      command: line.map { Array($0.utf8) }
        + [Array("ulimit -c 0; exec \"$@\"".utf8), Array(ProgramName.current.utf8)] + command,
      secrets: values, removedVariables: [], keepsLittle: false, files: [])
    // bubblewrap stays as process 1 inside, and what it was started with can be read there.
    execution.keptVariables = { name in
      Self.plainVariables.contains(name) || name.hasPrefix("LC_") || variables.contains(name)
    }
    try execution.replaceProcess()
  }

  // MARK: What it gets

  /// The variables that are made here.
  func environment() throws -> [(variable: String, value: SecretBytes)] {
    var values: [(String, String)] = [
      ("PATH", "\(Self.links):" + (ProcessState.variable("PATH") ?? Self.standardPath)),
      ("HOME", home), ("PWD", folders.working), ("XDG_RUNTIME_DIR", runtime),
      // By this a program of ours knows where it is, also where nothing is let out.
      (GuardRequest.variable, Self.socket),
    ]
    if socket != nil {
      // git-config(1), "GIT_CONFIG_COUNT": an empty helper forgets those of the system.
      let helper = "\(Self.links)/git-credential-\(ProgramName.current)"
      values += [
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "credential.helper"), ("GIT_CONFIG_VALUE_0", ""),
        ("GIT_CONFIG_KEY_1", "credential.helper"), ("GIT_CONFIG_VALUE_1", helper),
      ]
    }
    if socket != nil, hasAgent { values.append(("SSH_AUTH_SOCK", Self.agent)) }
    if socket != nil, hasKeyring {
      // They run a program `keyring`, which is a link to this one.
      values += ["PIP", "UV"].map { ("\($0)_KEYRING_PROVIDER", "subprocess") }
    }
    return try values.map { ($0.0, try SecretBytes(text: $0.1)) }
  }

  /// The hosts that ssh knows, without which it asks whether to believe a host; `nil` where there are
  /// none, and where a link is in their place: an earlier command may have led it elsewhere.
  private var knownHosts: String? {
    guard let folder = try? System.open(home, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY) else {
      return nil
    }
    defer { System.close(folder) }
    let path = ".ssh/known_hosts"
    guard let file = try? System.openNoLinks(path, in: folder, flags: O_RDONLY | O_NONBLOCK) else {
      return nil
    }
    defer { System.close(file) }
    guard let status = try? System.status(file), status.isRegular,
      let bytes = try? System.readAll(file, expected: 4096, limit: Self.maximumHosts)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private var runtime: String { "/run/user/\(geteuid())" }

  /// The files in the empty home by which docker and aws find their helper.
  var configuration: [(path: String, text: String)] {
    guard socket != nil else { return [] }
    let program = ProgramName.current
    let docker = JSONValue.object([("credsStore", .string(program))]).text()
    var files = [("\(home)/.docker/config.json", "\(docker)\n")]
    if hasAgent, let knownHosts { files.append(("\(home)/.ssh/known_hosts", knownHosts)) }
    if !profiles.isEmpty {
      let sections = profiles.map { profile in
        "[\(profile == "default" ? profile : "profile \(profile)")]\n"
          + "credential_process = \(Self.links)/\(program) credential aws \(profile)\n"
      }
      files.append(("\(home)/.aws/config", sections.joined(separator: "\n")))
    }
    return files
  }

  /// The names of profiles among names of items: those that a file of AWS can name as they are.
  ///
  /// - Parameter names: The names of the items that are let out.
  /// - Returns: The profiles.
  package static func profiles(in names: [String]) -> [String] {
    names.compactMap { name in
      guard name.hasPrefix("aws/") else { return nil }
      let profile = String(name.dropFirst(4))
      let isPlain = profile.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
          || [0x2D, 0x2E, 0x5F].contains(byte)
      }
      return isPlain && !profile.isEmpty && !profile.hasPrefix("-") ? profile : nil
    }
  }

  // MARK: What it sees

  /// bubblewrap's options, in the order in which it follows them.
  func arguments(filter: Int32, files: [(path: String, file: Int32)]) -> [String] {
    var all = Bubblewrap.namespaces + (hasNetwork ? [] : ["--unshare-net"])
    all += ["--die-with-parent", "--cap-drop", "ALL"]
    all += system
    all += ["--dev", "/dev", "--proc", "/proc"] + processes
    all += ["--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/var/tmp"]
    all += ["--perms", "0755", "--tmpfs", "/run", "--perms", "0700", "--dir", runtime]
    all += ["--symlink", "/run", "/var/run"]
    if let resolver = GuardSystem.resolver { all += ["--ro-bind-try", resolver, resolver] }
    all += ["--perms", "0700", "--tmpfs", home]
    for folder in folders.all {
      all += [
        folder.isWritable ? "--bind-fd" : "--ro-bind-fd", String(folder.descriptor), folder.path,
      ]
    }
    for (path, file) in files { all += ["--perms", "0600", "--ro-bind-data", String(file), path] }
    all += ["--ro-bind", HelperProgram.ownFile, "\(Self.links)/\(ProgramName.current)"]
    for link in CredentialProtocol.links(command: ProgramName.current)
    where GuardRequest.faces.contains(link.face) {
      all += ["--symlink", ProgramName.current, "\(Self.links)/\(link.name)"]
    }
    if let socket {
      all += ["--ro-bind", socket, Self.socket]
      if hasKeyring { all += ["--symlink", ProgramName.current, "\(Self.links)/keyring"] }
      if hasAgent {
        all += ["--ro-bind", "\(HelperProgram.parent(of: socket))/ssh", Self.agent]
      }
    }
    all += ["--remount-ro", "/"]
    return all + ["--chdir", folders.working, "--seccomp", String(filter)]
  }

  /// The system's programs and settings.
  ///
  /// The rest of the root is not there.
  private var system: [String] {
    var all: [String] = []
    for name in GuardSystem.shown + ["bin", "sbin"] + GuardSystem.libraries {
      if let target = System.linkTarget("/\(name)") {
        all += ["--symlink", String(decoding: target, as: UTF8.self), "/\(name)"]
      } else {
        all += ["--ro-bind-try", "/\(name)", "/\(name)"]
      }
    }
    // What runs there lies in the store; beside it are sockets of a daemon outside.
    for store in GuardSystem.stores { all += ["--ro-bind-try", store, store] }
    for name in ["block", "bus", "class", "dev", "devices"] {
      all += ["--ro-bind-try", "/sys/\(name)", "/sys/\(name)"]
    }
    let (hidden, closing) = GuardSystem.hidden
    let shown = GuardSystem.shown.map { "/\($0)" } + GuardSystem.stores
    return all + hidden + places.hidden(within: shown) + closing
  }

  /// What of /proc is the machine's: settings cannot be written, also by root, and lists of the
  /// kernel's keys and pages are empty.
  ///
  /// The memory of process 1 is no file, either: it builds the wall and ends the command, and runs as
  /// the same user.
  private var processes: [String] {
    let settings = ["sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "acpi", "scsi", "asound"]
    let lists = [
      "keys", "key-users", "kcore", "kallsyms", "timer_list", "latency_stats", "kpageflags",
      "kpagecount", "kpagecgroup", "slabinfo", "vmallocinfo", "pagetypeinfo",
    ]
    let first = ["1/mem", "1/task/1/mem"]
    return settings.flatMap { ["--ro-bind-try", "/proc/\($0)", "/proc/\($0)"] }
      + (lists.filter { UserFile.exists("/proc/\($0)") } + first)
      .flatMap { ["--ro-bind", "/dev/null", "/proc/\($0)"] }
  }
}
