import Glibc
import VaultBrowser
import VaultCredentials
import VaultStorage

/// The browser that has started this process, as the kernel has it.
enum BrowserProcess {
  private static let limit = 64 << 10
  private static let maximumFiles = 4096
  /// What follows the path of a program that was replaced since, as by an update: proc(5).
  private static let removed = " (deleted)"

  /// Who has started this process.
  static func identity() -> BrowserIdentity {
    let caller = UsageCaller.current()
    var executable: String?
    if let program = caller.programs.first, program.isPath,
      let path = String(validating: program.name, as: UTF8.self)
    {
      executable = path.ends(with: removed) ? String(path.dropLast(removed.count)) : path
    }
    return BrowserIdentity(
      executable: executable, profile: profile(of: getppid()), user: geteuid(), caller: caller)
  }

  /// The browser's profile, for a person to see; empty where it is not known.
  ///
  /// Firefox keeps its profile's lock open; the others say their folder on their line, if it is not
  /// the usual one.
  private static func profile(of process: Int32) -> String {
    firefoxProfile(of: process) ?? lineProfile(of: process) ?? ""
  }

  private static func firefoxProfile(of process: Int32) -> String? {
    let folder = "/proc/\(process)/fd"
    guard let directory = try? System.open(folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY),
      let names = try? System.names(in: directory)
    else { return nil }
    defer { System.close(directory) }
    for name in names.prefix(maximumFiles) {
      guard let target = System.linkTarget("\(folder)/\(name)"),
        let path = String(validating: target, as: UTF8.self), path.ends(with: "/.parentlock")
      else { continue }
      return path.parts(at: "/").dropLast().last.map(String.init)
    }
    return nil
  }

  private static func lineProfile(of process: Int32) -> String? {
    guard let bytes = try? UserFile.bytes(of: "/proc/\(process)/cmdline", limit: limit) else {
      return nil
    }
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let options = ["--profile-directory=", "--user-data-dir="]
    let found = options.compactMap { option in
      words.first { $0.begins(with: option) }.map { String($0.dropFirst(option.count)) }
    }
    return found.isEmpty ? nil : found.map { String($0.lastComponent) }.joined(separator: " of ")
  }
}
