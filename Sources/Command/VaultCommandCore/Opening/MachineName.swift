import Glibc
import VaultStorage

/// What this machine is called.
package enum MachineName {
  /// The host name up to its first dot; `machine` where it is not known.
  package static var current: String {
    guard
      let file = try? System.openNoLinks(
        "/proc/sys/kernel/hostname", in: AT_FDCWD, flags: O_RDONLY)
    else { return "machine" }
    defer { System.close(file) }
    let bytes = (try? System.readAll(file, expected: 64, limit: 256)) ?? []
    let name = bytes.prefix { $0 != 0x2E && $0 > 0x20 && $0 < 0x7F }
    return name.isEmpty ? "machine" : String(decoding: name, as: UTF8.self)
  }
}
