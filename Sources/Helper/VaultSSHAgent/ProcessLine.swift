import Glibc
import VaultStorage

/// The line of another process: proc_pid_cmdline(5).
enum ProcessLine {
  private static let limit = 16 << 10

  /// Its words without the first; none if the kernel does not say.
  static func words(of process: Int32) -> [String] {
    guard
      let file = try? System.open(
        "/proc/\(process)/cmdline", in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK)
    else { return [] }
    defer { close(file) }
    guard let bytes = try? System.readStart(file, count: limit) else { return [] }
    return bytes.split(separator: 0).dropFirst().map { String(decoding: $0, as: UTF8.self) }
  }
}
