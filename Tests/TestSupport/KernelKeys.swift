import CVaultLinux
import Glibc

/// Whether the kernel keeps keys here, asked past our own code.
///
/// Sessions need it. A container's filter may refuse it; tests of sessions are then skipped with
/// ``missing`` as their reason, and nothing else may skip them.
package enum KernelKeys {
  /// Whether a key can be stored for the user, and read back.
  package static let areAvailable: Bool = {
    let payload: [UInt8] = [1, 2, 3]
    let description = "vault-test:\(getpid())"
    let userKeyring: Int32 = -4
    let key = unsafe cvault_add_key("user", description, payload, payload.count, userKeyring)
    guard key >= 0 else { return false }
    defer { _ = cvault_keyctl(KEYCTL_UNLINK, UInt(key), UInt(bitPattern: Int(userKeyring)), 0, 0) }
    var read = [UInt8](repeating: 0, count: payload.count)
    let count = unsafe read.withUnsafeMutableBytes { buffer in
      cvault_keyctl(
        KEYCTL_READ, UInt(key), UInt(bitPattern: buffer.baseAddress), UInt(buffer.count), 0)
    }
    return count == payload.count && read == payload
  }()

  package static let missing = "the kernel refuses its key service here (a container's filter?)"
}
