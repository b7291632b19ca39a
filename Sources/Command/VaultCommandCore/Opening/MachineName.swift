import Glibc
import VaultStorage

/// What this machine is called.
package enum MachineName {
  /// The host name up to its first dot, of letters, digits, hyphens and underscores; `machine` where it
  /// is not known, or has none.
  package static var current: String {
    guard
      let file = try? System.openNoLinks(
        "/proc/sys/kernel/hostname", in: AT_FDCWD, flags: O_RDONLY)
    else { return "machine" }
    defer { System.close(file) }
    let bytes = (try? System.readAll(file, expected: 64, limit: 256)) ?? []
    let name = bytes.prefix { $0 != 0x2E }.filter { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    .drop { $0 == UInt8(ascii: "-") }
    return name.isEmpty ? "machine" : String(decoding: name, as: UTF8.self)
  }
}
