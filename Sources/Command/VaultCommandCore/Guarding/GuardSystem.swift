import CVaultLinux
import Glibc
import VaultStorage
import VaultTerminal

/// The system around the wall.
enum GuardSystem {
  /// The folders of the system that are shown.
  static let shown = ["usr", "etc", "opt"]
  /// Where other systems of packages keep their programs.
  static let stores = ["/nix/store", "/gnu/store"]
  /// The folders of libraries in the root.
  static let libraries = ["lib", "lib32", "lib64", "libx32", "libexec"]

  /// What programs that are no package put into, sockets among them.
  private static let searched = ["/etc", "/opt", "/usr/local"]
  /// How deep they are looked through.
  private static let depth = 64

  /// Where the settings of the network's names are, if that is a file that changes as it runs.
  static var resolver: String? {
    guard let file = try? System.open("/etc/resolv.conf", in: AT_FDCWD, flags: cvault_o_path),
      let target = System.linkTarget("/proc/self/fd/\(file)")
    else { return nil }
    System.close(file)
    let path = String(decoding: target, as: UTF8.self)
    return path.hasPrefix("/run/") ? path : nil
  }

  /// Options that hide what of the system's folders is not for everybody, and those that end that.
  ///
  /// Sockets lead out. For root, whom no mode keeps out, what others may not read is not there; /etc
  /// is made anew, so that a file that is replaced meanwhile does not appear.
  static var hidden: (options: [String], closing: [String]) {
    let isRoot = geteuid() == 0
    var (all, closing): ([String], [String]) = ([], [])
    if isRoot { copy("/etc", depth: depth, into: &all, &closing) }
    for folder in searched where !isRoot || folder != "/etc" {
      hide(folder, isRoot: isRoot, depth: depth, into: &all)
    }
    return (all, closing)
  }

  /// Options that put something empty in the place of a folder or file.
  static func emptied(_ path: String, isFolder: Bool) -> [String] {
    isFolder ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path]
  }

  /// What lies in a folder, but for links; `nil` if it cannot be read.
  private static func entries(_ folder: String) -> [(path: String, status: System.FileStatus)]? {
    guard
      let directory = try? System.open(
        folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { return nil }
    defer { System.close(directory) }
    return ((try? System.names(in: directory)) ?? []).compactMap { name in
      (try? System.status(of: name, in: directory)).map { ("\(folder)/\(name)", $0) }
    }
  }

  private static func mayBeRead(_ status: System.FileStatus) -> Bool {
    status.isDirectory ? status.permissions & 0o005 == 0o005 : status.permissions & 0o004 != 0
  }

  private static func hide(
    _ folder: String, isRoot: Bool, depth: Int, into all: inout [String]
  ) {
    for (path, status) in entries(folder) ?? [] {
      if status.isDirectory {
        // A folder that can be entered and not listed has what nobody here can look for.
        let isClosed = isRoot ? !mayBeRead(status) : !canBeListed(path)
        if depth == 0 || isClosed && (isRoot || status.permissions & 0o011 != 0) {
          all += emptied(path, isFolder: true)
        } else {
          hide(path, isRoot: isRoot, depth: depth - 1, into: &all)
        }
      } else if status.isRegular ? isRoot && !mayBeRead(status) : isSpecial(path, status) {
        all += emptied(path, isFolder: false)
      }
    }
  }

  private static func canBeListed(_ path: String) -> Bool {
    guard
      let folder = try? System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { return false }
    System.close(folder)
    return true
  }

  /// Whether something is neither a file nor a folder nor a link: a socket, a pipe, a device.
  static func isSpecial(_ path: String, _ status: System.FileStatus) -> Bool {
    !status.isRegular && !status.isDirectory && System.linkTarget(path) == nil
  }

  /// Shows a folder's entries one by one, those that others may read.
  private static func copy(
    _ folder: String, depth: Int, into all: inout [String], _ closing: inout [String]
  ) {
    let entries = entries(folder) ?? []
    all += ["--perms", "0755", "--tmpfs", folder]
    closing += ["--remount-ro", folder]
    for (path, status) in entries {
      if let target = System.linkTarget(path) {
        all += ["--symlink", String(decoding: target, as: UTF8.self), path]
      } else if status.isDirectory, mayBeRead(status), depth > 0 {
        if isForEverybody(path, depth: depth - 1) {
          all += ["--ro-bind-try", path, path]
        } else {
          copy(path, depth: depth - 1, into: &all, &closing)
        }
      } else if status.isRegular, mayBeRead(status) {
        all += ["--ro-bind-try", path, path]
      }
    }
  }

  /// Whether everybody may read all of a folder, and no socket is in it.
  private static func isForEverybody(_ folder: String, depth: Int) -> Bool {
    guard depth > 0, let entries = entries(folder) else { return false }
    return entries.allSatisfy { path, status in
      if status.isDirectory {
        return mayBeRead(status) && isForEverybody(path, depth: depth - 1)
      }
      return status.isRegular ? mayBeRead(status) : !isSpecial(path, status)
    }
  }
}

/// Sockets in a folder that is named: who connects to one needs no right to write.
enum GuardSockets {
  private static let depth = 64

  /// Refuses a folder with a socket in it.
  static func refuse(below descriptor: Int32, _ path: String, as name: String) throws {
    guard let socket = first(in: descriptor, path, depth) else { return }
    throw CommandError(
      .notAllowed, "'\(name)' has a socket or a device in it: \(Sanitizer.visible(socket))",
      hint: "name a folder without it: what listens there may be an agent")
  }

  private static func first(in parent: Int32, _ path: String, _ depth: Int) -> String? {
    guard depth > 0,
      let folder = try? System.open(".", in: parent, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    else { return nil }
    defer { System.close(folder) }
    for name in (try? System.names(in: folder)) ?? [] {
      guard let status = try? System.status(of: name, in: folder), !status.isRegular else {
        continue
      }
      let inner = "\(path)/\(name)"
      if status.isDirectory {
        guard
          let below = try? System.open(name, in: folder, flags: cvault_o_path | O_NOFOLLOW)
        else { continue }
        defer { System.close(below) }
        if let found = first(in: below, inner, depth - 1) { return found }
      } else if GuardSystem.isSpecial(inner, status) {
        return inner
      }
    }
    return nil
  }
}
