import VaultSealing
import VaultStorage
import VaultTerminal

/// The program that builds the wall: bubblewrap, as the system has it.
package struct Bubblewrap {
  /// The system's own folders.
  ///
  /// PATH is not asked: a project may put its own programs first in it.
  private static let folders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"]

  package let path: String

  /// The namespaces of every wall.
  static let namespaces = [
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
  ]

  /// Finds the program, and tries it out with the namespaces.
  ///
  /// - Parameter withNetwork: Whether the network stays as it is.
  /// - Throws: ``CommandError`` with code `.guardUnavailable`, which says what is missing and what to
  ///   install or allow.
  package init(withNetwork: Bool) throws {
    let program = ProgramName.current
    guard let path = Self.folders.map({ "\($0)/bwrap" }).first(where: Self.isTheSystems) else {
      throw CommandError(
        .guardUnavailable, "bubblewrap is not installed, which builds the wall",
        hint: "install it: apt install bubblewrap, or dnf install bubblewrap")
    }
    self.path = path
    guard SystemCallFilter.program != nil else {
      throw CommandError(
        .guardUnavailable, "there is no filter of system calls for this machine's processor",
        hint: "it is there for x86-64 and arm64")
    }
    guard ProcessIsolation.canBeScoped || !withNetwork else {
      throw CommandError(
        .guardUnavailable,
        "the kernel cannot keep a command from the abstract sockets of the session (Linux 6.12 can)",
        hint: "without the network they are out of reach: \(program) guard --net none")
    }
    try checkVersion()
    try tryOut(withNetwork: withNetwork)
  }

  /// Whether a program is root's, and nobody else can have written it.
  private static func isTheSystems(_ path: String) -> Bool {
    guard let status = System.file(at: path) else { return false }
    return status.isRegular && status.owner == 0 && status.permissions & 0o022 == 0
      && status.permissions & 0o111 != 0
  }

  /// A folder must be bound as it was judged, by a descriptor: CVE-2024-42472.
  private func checkVersion() throws {
    let help = try said(["--help"])
    guard help.text.contains(bytes: "--bind-fd") else {
      throw CommandError(
        .guardUnavailable,
        "this bubblewrap is too old: it cannot bind a folder by a descriptor",
        hint: "update it to 0.10, or to the version with the fix of CVE-2024-42472")
    }
  }

  private func tryOut(withNetwork: Bool) throws {
    let options =
      Self.namespaces + (withNetwork ? [] : ["--unshare-net"])
      + ["--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    let trial = try said(options + ["--", "/bin/sh", "-c", ":"])
    guard !trial.isSuccess else { return }
    let reason = Sanitizer.visible(String(trial.text.parts(at: "\n").first ?? ""))
    throw CommandError(
      .guardUnavailable, "bubblewrap cannot make namespaces here: \(reason)", hint: advice)
  }

  /// What the machine says about user namespaces.
  private var advice: String {
    if let status = System.file(at: path), status.permissions & 0o4000 != 0 {
      return "it runs as root here (setuid), and does less then: chmod u-s \(path)"
    }
    func setting(_ name: String) -> String? {
      (try? UserFile.bytes(of: "/proc/sys/\(name)", limit: 64)).flatMap { bytes in
        String(decoding: bytes, as: UTF8.self).parts(at: "\n").first.map { String($0) }
      }
    }
    if setting("kernel/unprivileged_userns_clone") == "0" {
      return "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"
    }
    if setting("user/max_user_namespaces") == "0" {
      return "allow user namespaces: sysctl user.max_user_namespaces=10000"
    }
    if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" {
      return "let AppArmor allow it: apt install apparmor-profiles, and load the profile of bwrap"
    }
    return "in a container, start it so that it may make user namespaces and mount /proc"
  }

  /// Runs it; its stderr is part of what it says.
  private func said(_ arguments: [String]) throws -> (isSuccess: Bool, text: String) {
    let line = ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh", path] + arguments
    let result = try ChildProgram.runInstalled(line, input: .nothing, limit: 64 << 10)
    return (result.isSuccess, result.output.text ?? "")
  }
}
