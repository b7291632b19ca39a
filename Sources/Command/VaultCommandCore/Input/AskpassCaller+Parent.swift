import Glibc
package import VaultProtocols
import VaultStorage

extension AskpassCaller {
  /// A longer line is none that is looked at.
  private static let longestLine = 64 << 10

  /// The program that started this one: proc(5), `/proc/PID/cmdline` and `cwd`.
  package static var parent: AskpassCaller {
    // Another user's process does not show its folder; this one began there.
    let folder = ["/proc/\(getppid())/cwd", "/proc/self/cwd"].lazy.compactMap {
      System.linkTarget($0).flatMap { String(validating: $0, as: UTF8.self) }
    }.first
    let line = try? UserFile.bytes(of: "/proc/\(getppid())/cmdline", limit: longestLine)
    let words = (line ?? []).split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .compactMap { String(validating: $0, as: UTF8.self) }
    return AskpassCaller(folder: folder, arguments: words)
  }
}
